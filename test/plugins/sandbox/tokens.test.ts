import { createHmac } from 'node:crypto'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { type Client, linkClient } from '../../support/clients/client.ts'
import { eventually } from '../../support/eventually.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'

function nodeIn(node: BinaryNode | undefined, ...path: string[]): BinaryNode | undefined {
  return path.reduce<BinaryNode | undefined>(
    (parent, tag) =>
      Array.isArray(parent?.content) ? parent.content.find((one) => one.tag === tag) : undefined,
    node,
  )
}

describe('privacy tokens on the local network', () => {
  let loose: LooseNetwork
  let ana: Phone
  let bob: Phone
  /** Stock Baileys, which knows no tokens for first contacts. */
  let client: Client
  before(async () => {
    loose = await startNetwork()
    ana = await loose.phones.create({ name: 'Ana' })
    client = await linkClient(loose.network, ana)
  })
  after(async () => {
    await client.close()
    await loose.network.close()
  })
  beforeEach(async () => {
    // It addresses people as it is told.
    loose.network.fault({ Fault: 'lenientAddressing' })
    bob = await loose.phones.create({ name: 'Bob' })
  })
  afterEach(() => loose.network.fault({ Fault: 'clear' }))

  const counter = (name: string): number =>
    (loose.network.view()['Counters'] as Record<string, number>)[name] ?? 0
  /** The code of the ack; undefined if the message was accepted. */
  const outcome = async (to: string, nodes: BinaryNode[] = []): Promise<string | undefined> => {
    const acks: BinaryNode[] = []
    const listen = (ack: BinaryNode): void => void acks.push(ack)
    client.wa.ws.on('CB:ack,class:message', listen)
    const id = await client.wa.relayMessage(to, { conversation: 'hi' }, { additionalNodes: nodes })
    const ack = await eventually(() => acks.find(({ attrs }) => attrs['id'] === id), 'acknowledged')
    client.wa.ws.off('CB:ack,class:message', listen)
    return ack.attrs['error']
  }
  const contactToken = (salt: Uint8Array | undefined, lid: string): BinaryNode => ({
    tag: 'cstoken',
    attrs: {},
    content: createHmac('sha256', salt ?? '')
      .update(lid)
      .digest(),
  })
  const wrote = async (from: Phone, to: Phone): Promise<void> => {
    const id = await from.send(to.account.phone, { Text: 'hi' })
    await to.wait((message) => message.id === id)
  }

  it('refuses and counts a message to a stranger that has none (whatsapp/05)', async () => {
    const before = counter('tokenless')
    expect(await outcome(bob.account.jid)).to.equal('463')
    expect(await outcome(bob.account.lid)).to.equal('463')
    expect(counter('tokenless')).to.equal(before + 2)
    expect(bob.messages()).to.deep.equal([])
  })

  it('lets all messages in where a test says so', async () => {
    loose.network.fault({ Fault: 'lenientTokens' })
    expect(await outcome(bob.account.jid)).to.equal(undefined)
  })

  it('accepts the token for a first contact of the salt and the LID alone (whatsapp/05)', async () => {
    const salt = loose.network.saltOf(ana.account)
    const { lid, jid } = bob.account
    expect(await outcome(lid, [contactToken(salt, jid)])).to.equal('463')
    expect(await outcome(lid, [contactToken(Buffer.alloc(32), lid)])).to.equal('463')
    expect(await outcome(lid, [contactToken(salt, lid)])).to.equal(undefined)
    const message = await bob.wait(({ raw }) => raw.conversation === 'hi')
    expect(message.nodes ?? []).to.deep.equal([])
    await ana.act({ Action: 'salt' })
    expect(await outcome(lid, [contactToken(salt, lid)])).to.equal('463')
    await ana.act({ Action: 'salt', Data: { On: false } })
    expect(loose.network.saltOf(ana.account)).to.equal(undefined)
    await ana.act({ Action: 'salt' })
  })

  it('treats nobody as a stranger who was written to', async () => {
    await wrote(bob, ana)
    expect(await outcome(bob.account.lid)).to.equal(undefined)
  })

  it('treats nobody as a stranger who was given a token, within its buckets (whatsapp/10)', async () => {
    await bob.act({ Action: 'trust', Chat: ana.account.phone, Data: { Days: 60 } })
    expect(await outcome(bob.account.lid)).to.equal(undefined)
    loose.network.fault({ Fault: 'props', Props: { 909: '4' } })
    expect(await outcome(bob.account.lid)).to.equal('463')
  })

  /** Sends a stanza that has an id, and resolves with what the network answers to a ping after it. */
  const subscribe = async (to: string, content: BinaryNode[] = []): Promise<BinaryNode[]> => {
    const presences: BinaryNode[] = []
    const listen = (node: BinaryNode): void => void presences.push(node)
    client.wa.ws.on('CB:presence', listen)
    await client.wa.sendNode({ tag: 'presence', attrs: { to, type: 'subscribe' }, content })
    await client.wa.query({
      tag: 'iq',
      attrs: { to: 's.whatsapp.net', type: 'get', xmlns: 'w:p' },
      content: [{ tag: 'ping', attrs: {} }],
    })
    client.wa.ws.off('CB:presence', listen)
    return presences.filter(({ attrs }) => attrs['from'] === bob.account.lid)
  }
  const aboutOf = async (jid: string, content: BinaryNode[] = []): Promise<BinaryNode | undefined> => {
    const list = { tag: 'list', attrs: {}, content: [{ tag: 'user', attrs: { jid }, content }] }
    const query = { tag: 'query', attrs: {}, content: [{ tag: 'status', attrs: {} }] }
    const attrs = { sid: '1', mode: 'query', context: 'interactive', last: 'true', index: '0' }
    const reply = await client.wa.query({
      tag: 'iq',
      attrs: { to: 's.whatsapp.net', type: 'get', xmlns: 'usync' },
      content: [{ tag: 'usync', attrs, content: [query, list] }],
    })
    return nodeIn(reply, 'usync', 'list', 'user', 'status')
  }
  const addTo = async (
    group: string,
    jid: string,
    content: BinaryNode[] = [],
  ): Promise<BinaryNode | undefined> => {
    const participant = { tag: 'participant', attrs: { jid }, content }
    const reply = await client.wa.query({
      tag: 'iq',
      attrs: { to: group, type: 'set', xmlns: 'w:g2' },
      content: [{ tag: 'add', attrs: {}, content: [participant] }],
    })
    return nodeIn(reply, 'add', 'participant')
  }
  /** The token that Bob has given. */
  const given = async (days = 0): Promise<Uint8Array> => {
    await bob.act({ Action: 'trust', Chat: ana.account.phone, Data: { Days: days } })
    const { lid } = bob.account
    const found = await eventually(
      async () => (await client.wa.authState.keys.get('tctoken', [lid]))[lid],
      'a token of Bob',
    )
    return found.token
  }

  it('shows what only contacts see to those with a token: presence and about text (whatsapp/26)', async () => {
    const { lid } = bob.account
    await bob.act({
      Action: 'setPrivacy',
      Data: { last: 'contacts', online: 'match_last_seen', status: 'contacts' },
    })
    await client.wa.sendNode({ tag: 'presence', attrs: { type: 'available', name: 'Ana' } })
    const token = { tag: 'tctoken', attrs: {}, content: await given() }
    const wrong = { ...token, content: Buffer.alloc(16) }
    expect(await subscribe(lid)).to.deep.equal([])
    expect(await subscribe(lid, [wrong])).to.deep.equal([])
    expect(await subscribe(lid, [token])).to.have.length(1)
    await bob.act({ Action: 'offline' })
    expect((await aboutOf(lid))?.attrs).to.include({ code: '401' })
    expect((await aboutOf(lid, [wrong]))?.attrs).to.include({ code: '401' })
    expect(String((await aboutOf(lid, [token]))?.content)).to.include('simulated phone')
    await bob.act({ Action: 'setPrivacy', Data: { last: 'none', status: 'none' } })
    expect((await aboutOf(lid, [token]))?.attrs).to.include({ code: '401' })
    expect(await subscribe(lid, [token])).to.deep.equal([])
  })

  it('adds to groups those who allow it to contacts with their token only, and not with an old one (whatsapp/26)', async () => {
    const { lid } = bob.account
    await bob.act({ Action: 'setPrivacy', Data: { groupadd: 'contacts' } })
    const group = await client.wa.groupCreate('Team', [])
    const old = await given(190)
    expect((await addTo(group.id, lid))?.attrs).to.include({ error: '403' })
    expect((await addTo(group.id, lid, [{ tag: 'privacy', attrs: {}, content: old }]))?.attrs).to.include({
      error: '403',
    })
    await bob.act({ Action: 'trust', Chat: ana.account.phone })
    const token = await eventually(async () => {
      const found = (await client.wa.authState.keys.get('tctoken', [lid]))[lid]
      return found && Buffer.from(found.token).equals(Buffer.from(old)) ? undefined : found?.token
    }, 'a new token of Bob')
    const added = await addTo(group.id, lid, [{ tag: 'privacy', attrs: {}, content: token }])
    expect(added?.attrs).to.include({ jid: lid }).and.not.have.property('error')
  })

  it('has phones add people with the token that these have given (whatsapp/26)', async () => {
    await bob.act({ Action: 'setPrivacy', Data: { groupadd: 'contacts' } })
    const create = () => ana.act({ Action: 'createGroup', Text: 'Team', Participants: [bob.account.phone] })
    const members = (group: unknown) =>
      (loose.network.view()['Groups'] as { JID: string; Members: object[] }[]).find(
        ({ JID }) => JID === group,
      )?.Members
    expect(members((await create())['JID'])).to.have.length(1)
    await given()
    expect(members((await create())['JID'])).to.have.length(2)
  })

  it('counts tokens that are given again before the next bucket, of AB prop 996', async () => {
    const before = counter('earlyTokens')
    const give = (t: number) =>
      client.wa.query({
        tag: 'iq',
        attrs: { to: 's.whatsapp.net', type: 'set', xmlns: 'privacy' },
        content: [
          {
            tag: 'tokens',
            attrs: {},
            content: [
              {
                tag: 'token',
                attrs: { jid: bob.account.jid, t: String(t), type: 'trusted_contact' },
              },
            ],
          },
        ],
      })
    const WEEK = 604_800
    const start = (Math.floor(Date.now() / 1000 / WEEK) - 1) * WEEK
    await give(start)
    // For a new identity of the person.
    await give(start)
    expect(counter('earlyTokens')).to.equal(before)
    await give(start + WEEK - 1)
    expect(counter('earlyTokens')).to.equal(before + 1)
    await give(start + WEEK)
    expect(counter('earlyTokens')).to.equal(before + 1)
  })

  it('needs a token for what is sent again to one device (whatsapp/26)', async () => {
    await wrote(bob, ana)
    const { lid } = bob.account
    const again = async (nodes: BinaryNode[]) => {
      const acks: BinaryNode[] = []
      client.wa.ws.once('CB:ack,class:message', (ack: BinaryNode) => void acks.push(ack))
      const participant = { jid: lid, count: 1 }
      await client.wa.relayMessage(lid, { conversation: 'hi' }, { participant, additionalNodes: nodes })
      const ack = await eventually(() => acks[0], 'acknowledged')
      return ack.attrs['error']
    }
    expect(await again([])).to.equal('463')
    expect(await again([contactToken(loose.network.saltOf(ana.account), lid)])).to.equal(undefined)
  })

  it('has phones give tokens to whom they write, and use those that they have', async () => {
    const before = counter('tokenless')
    await wrote(ana, bob)
    await wrote(bob, ana)
    const given = await eventually(
      async () => (await client.wa.authState.keys.get('tctoken', [bob.account.lid]))[bob.account.lid],
      'a token of Bob',
    )
    expect(given.token).to.have.length(16)
    expect(counter('tokenless')).to.equal(before)
    await ana.act({ Action: 'salt', Data: { On: false } })
    await wrote(ana, bob)
    const refused = await loose.phones.create({ name: 'Caio' })
    await ana.send(refused.account.phone, { Text: 'hi' })
    expect(counter('tokenless')).to.equal(before + 1)
    await ana.act({ Action: 'salt' })
  })

  it('puts the tokens that others have given into the history', async () => {
    await wrote(bob, ana)
    const second = await linkClient(loose.network, ana)
    const { lid } = bob.account
    const found = await eventually(
      async () => (await second.wa.authState.keys.get('tctoken', [lid]))[lid],
      'a token of Bob',
    )
    expect(found.token).to.have.length(16)
    await second.close()
  })

  it('answers 475 to a new chat above the limit, and 463 during a timelock (whatsapp/06)', async () => {
    const token = contactToken(loose.network.saltOf(ana.account), bob.account.lid)
    const Phone = ana.account.phone
    loose.network.fault({ Fault: 'messageCap', Phone, Count: 0 })
    expect(await outcome(bob.account.lid, [token])).to.equal('475')
    loose.network.fault({ Fault: 'timelock', Phone })
    const before = counter('tokenless')
    expect(await outcome(bob.account.lid, [token])).to.equal('463')
    expect(counter('tokenless')).to.equal(before)
  })
})
