import type { BinaryNode } from '@whiskeysockets/baileys'
import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { type Client, linkClient } from '../../support/clients/client.ts'
import { eventually } from '../../support/eventually.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'

describe('the space of addresses on the local network', () => {
  let loose: LooseNetwork
  let owner: Phone
  let ana: Phone
  /** Stock Baileys, which takes the space of the JID that it is given. */
  let client: Client
  before(async () => {
    loose = await startNetwork()
    owner = await loose.phones.create({ name: 'Owner' })
    ana = await loose.phones.create({ name: 'Ana' })
    client = await linkClient(loose.network, owner)
  })
  after(async () => {
    await client.close()
    await loose.network.close()
  })
  beforeEach(() => loose.network.fault({ Fault: 'lenientTokens' }))
  afterEach(() => loose.network.fault({ Fault: 'clear' }))

  /** The code of the ack; undefined if the message was accepted. */
  const outcome = async (stanza: BinaryNode): Promise<string | undefined> =>
    (await attrsOfAck(stanza))['error']
  async function attrsOfAck(stanza: BinaryNode): Promise<Record<string, string>> {
    const acks: BinaryNode[] = []
    const listen = (ack: BinaryNode): void => void acks.push(ack)
    client.wa.ws.on('CB:ack,class:message', listen)
    await client.wa.sendNode(stanza)
    const { id } = stanza.attrs
    const ack = await eventually(() => acks.find(({ attrs }) => attrs['id'] === id), 'acknowledged')
    client.wa.ws.off('CB:ack,class:message', listen)
    return ack.attrs
  }

  let count = 0
  function message(to: string, devices: readonly string[], attrs: Record<string, string> = {}): BinaryNode {
    count += 1
    const enc: BinaryNode = { tag: 'enc', attrs: { v: '2', type: 'msg' }, content: Buffer.alloc(8) }
    const nodes = devices.map((jid) => ({ tag: 'to', attrs: { jid }, content: [enc] }))
    return {
      tag: 'message',
      attrs: { id: `3EB0${count}`, type: 'text', to, ...attrs },
      content: [{ tag: 'participants', attrs: {}, content: nodes }],
    }
  }
  const refused = (): number => (loose.network.view()['Counters'] as { misaddressed: number }).misaddressed

  it('is one for all addresses of a message: that of the account', async () => {
    const before = refused()
    const { jid, lid } = ana.account
    const own = owner.account
    for (const [isMigrated, right, wrong] of [
      [true, [lid, own.lid], [jid, own.jid]],
      [false, [jid, own.jid], [lid, own.lid]],
    ] as const) {
      await owner.act({ Action: 'migrate', Data: { On: isMigrated } })
      const [to, self] = right
      expect(await outcome(message(to, [to, self]))).to.equal(undefined)
      expect(await outcome(message(wrong[0], wrong))).to.equal('400')
      expect(await outcome(message(to, [to, wrong[1]]))).to.equal('400')
      expect(await outcome(message(to, [wrong[0], self]))).to.equal('400')
      expect(await outcome(message(wrong[0], right))).to.equal('400')
      expect(await outcome(message(to, [to], { recipient: wrong[0] }))).to.equal('400')
    }
    expect(refused()).to.equal(before + 10)
    await owner.act({ Action: 'migrate' })
  })

  it('allows each device once, and the number beside a LID alone', async () => {
    const { jid, lid } = ana.account
    expect(await outcome(message(lid, [lid, lid]))).to.equal('400')
    expect(await outcome(message(lid, [lid], { peer_recipient_pn: lid }))).to.equal('400')
    expect(await outcome(message(lid, [lid], { peer_recipient_pn: jid }))).to.equal(undefined)
  })

  it('is to be looked up again where the number beside a LID is not its own, and where a test says so', async () => {
    const { jid, lid } = ana.account
    const asks = async (peer_recipient_pn: string) =>
      (await attrsOfAck(message(lid, [lid], { peer_recipient_pn })))['refresh_lid']
    expect(await asks(jid)).to.equal(undefined)
    expect(await asks(owner.account.jid)).to.equal('true')
    loose.network.fault({ Fault: 'refreshLid', Phone: owner.account.phone })
    expect([await asks(jid), await asks(jid)]).to.deep.equal(['true', undefined])
  })

  it('is by LID to somebody without a visible number, and any where a test says so', async () => {
    const shy = await loose.phones.create({ name: 'Shy', hidesNumber: true })
    await owner.act({ Action: 'migrate', Data: { On: false } })
    expect(await outcome(message(shy.account.lid, [shy.account.lid]))).to.equal(undefined)
    await owner.act({ Action: 'migrate' })
    loose.network.fault({ Fault: 'lenientAddressing' })
    expect(await outcome(message(ana.account.jid, [ana.account.lid]))).to.equal(undefined)
  })

  it('is that of the account in what phones write, to themselves too', async () => {
    const bob = await loose.phones.create({ name: 'Bob', lidMigrated: false })
    const before = refused()
    for (const to of [ana, bob, owner]) {
      for (const from of [bob, owner]) {
        const id = await from.send(to.account.phone, { Text: 'hi' })
        if (from === to) continue
        const { attrs } = await to.wait((one) => one.id === id)
        expect(attrs['from']).to.equal(from === bob ? bob.account.jid : owner.account.lid)
      }
    }
    expect(refused()).to.equal(before)
  })
})
