import type { BinaryNode } from '@whiskeysockets/baileys'
import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { type Client, linkClient } from '../../support/clients/client.ts'
import { eventually } from '../../support/eventually.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'
import { picture } from '../../support/picture.ts'

describe('the forms of stanzas on the local network', () => {
  let loose: LooseNetwork
  let ana: Phone
  let bob: Phone
  /** Stock Baileys, which says nothing of the content. */
  let client: Client
  before(async () => {
    loose = await startNetwork()
    ana = await loose.phones.create({ name: 'Ana' })
    bob = await loose.phones.create({ name: 'Bob' })
    client = await linkClient(loose.network, ana)
  })
  after(async () => {
    await client.close()
    await loose.network.close()
  })
  beforeEach(() => {
    for (const Fault of ['lenientAddressing', 'lenientTokens']) loose.network.fault({ Fault })
  })
  afterEach(() => loose.network.fault({ Fault: 'clear' }))

  const counter = (name: string): number =>
    (loose.network.view()['Counters'] as Record<string, number>)[name] ?? 0
  const imageMessage = { url: 'https://a.example/1', viewOnce: true }
  /** The code of the ack; undefined if the message was accepted. */
  const outcome = async (
    to: string,
    message: object,
    nodes: BinaryNode[] = [],
    additionalAttributes: Record<string, string> = {},
  ): Promise<string | undefined> => {
    const acks: BinaryNode[] = []
    const listen = (ack: BinaryNode): void => void acks.push(ack)
    client.wa.ws.on('CB:ack,class:message', listen)
    const id = await client.wa.relayMessage(to, message, {
      additionalNodes: nodes,
      additionalAttributes,
      statusJidList: [bob.account.jid],
    })
    const ack = await eventually(() => acks.find(({ attrs }) => attrs['id'] === id), 'acknowledged')
    client.wa.ws.off('CB:ack,class:message', listen)
    return ack.attrs['error']
  }

  it('drop media that do not say of which kind they are, with an ack (whatsapp/38)', async () => {
    const before = counter('droppedMedia')
    const wrapped = (conversation: string) => ({
      viewOnceMessage: { message: { imageMessage: { ...imageMessage, caption: conversation } } },
    })
    expect(await outcome(bob.account.lid, wrapped('dropped'))).to.equal(undefined)
    expect(counter('droppedMedia')).to.equal(before + 1)
    loose.network.fault({ Fault: 'lenientForms' })
    expect(await outcome(bob.account.lid, wrapped('kept'))).to.equal(undefined)
    const got = await bob.wait(({ raw }) => Boolean(raw.viewOnceMessage))
    expect(got.raw.viewOnceMessage?.message?.imageMessage?.caption).to.equal('kept')
    expect(counter('droppedMedia')).to.equal(before + 1)
  })

  it('show which message its sender has not marked as viewed once (whatsapp/38)', async () => {
    expect(await outcome(bob.account.lid, { imageMessage: { ...imageMessage, caption: 'bare' } })).to.equal(
      undefined,
    )
    const bare = await bob.wait(({ raw }) => raw.imageMessage?.caption === 'bare')
    expect(bare.unmarked).to.equal(true)
    const meta = { tag: 'meta', attrs: { view_once: 'true' } }
    await outcome(bob.account.lid, { imageMessage: { ...imageMessage, caption: 'marked' } }, [meta])
    const marked = await bob.wait(({ raw }) => raw.imageMessage?.caption === 'marked')
    expect(marked).to.not.have.property('unmarked')
  })

  it('give companions no content of a marked message, unless a test says so (whatsapp/38)', async () => {
    const stubs: BinaryNode[] = []
    client.wa.ws.on('CB:message', (stanza: BinaryNode) => void stubs.push(stanza))
    const contentOf = (id: string) =>
      eventually(() => stubs.find(({ attrs }) => attrs['id'] === id)?.content as BinaryNode[], 'arrived')
    const hidden = await bob.send(ana.account.phone, { Message: { image: await picture(), viewOnce: true } })
    expect((await ana.wait(({ id }) => id === hidden)).media).to.not.equal(undefined)
    const content = await contentOf(hidden)
    expect(content.map(({ tag }) => tag))
      .to.include('unavailable')
      .and.not.include('enc')
    expect(content.find(({ tag }) => tag === 'unavailable')?.attrs).to.deep.equal({ type: 'view_once' })
    loose.network.fault({ Fault: 'legacyViewOnce' })
    const whole = await bob.send(ana.account.phone, { Message: { image: await picture(), viewOnce: true } })
    expect((await contentOf(whole)).map(({ tag }) => tag)).to.include('enc')
  })

  it('end on phones with an ack if their type of encryption is unknown', async () => {
    const content = [{ tag: 'enc', attrs: { v: '2', type: 'frskmsg' }, content: Buffer.alloc(32) }]
    const participants = [{ tag: 'to', attrs: { jid: bob.account.lid }, content }]
    const [retries, acks] = [counter('retries'), counter('acks')]
    await client.wa.sendNode({
      tag: 'message',
      attrs: { id: 'UNKNOWN', to: bob.account.lid, type: 'text' },
      content: [{ tag: 'participants', attrs: {}, content: participants }],
    })
    await eventually(() => counter('acks') > acks, 'accepted')
    await outcome(bob.account.lid, { conversation: 'after it' })
    await bob.wait(
      ({ raw }) => raw.conversation === 'after it' || raw.extendedTextMessage?.text === 'after it',
    )
    expect(bob.view()).to.include({ Undecryptable: 0 })
    expect(counter('retries')).to.equal(retries)
  })

  it('take the preview from a post of the type text (whatsapp/38)', async () => {
    const jid = String((await ana.act({ Action: 'createNewsletter', Text: 'News' }))['JID'])
    await bob.act({ Action: 'followNewsletter', Chat: jid })
    const extendedTextMessage = { text: 'a.example', matchedText: 'a.example', title: 'A page' }
    const before = counter('droppedCards')
    await client.wa.relayMessage(jid, { extendedTextMessage }, {})
    const post = await bob.wait(({ chat }) => chat === jid)
    expect(post.message).to.deep.equal({ extendedTextMessage: { text: 'a.example' } })
    expect(counter('droppedCards')).to.equal(before + 1)
  })

  it('refuse a status reaction with a setting, and count posts without one (whatsapp/38)', async () => {
    const meta = { tag: 'meta', attrs: { status_setting: 'contacts' } }
    const reactionMessage = { text: '💚', key: { remoteJid: 'status@broadcast', id: '1', fromMe: false } }
    expect(await outcome('status@broadcast', { reactionMessage }, [meta])).to.equal('479')
    const before = counter('unmarkedStatuses')
    expect(await outcome('status@broadcast', { conversation: 'x' }, [meta])).to.equal(undefined)
    expect(counter('unmarkedStatuses')).to.equal(before)
    expect(await outcome('status@broadcast', { conversation: 'x' })).to.equal(undefined)
    expect(counter('unmarkedStatuses')).to.equal(before + 1)
  })
})
