import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { child, children, el } from '../../../plugins/sandbox/stanza.ts'
import type { NoiseConnection } from '../../support/clients/noise-client.ts'
import { linkRaw, type RawCompanion, stanzaWith } from '../../support/clients/raw-companion.ts'
import { eventually } from '../../support/eventually.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'

const WAITING = 12

describe('what waits on the local network for a client', () => {
  let loose: LooseNetwork
  let ana: Phone
  let companion: RawCompanion
  before(async () => {
    loose = await startNetwork()
    ana = await loose.phones.create({ name: 'Ana' })
    companion = await linkRaw(loose, ana)
    for (let at = 0; at < WAITING; at += 1) await leave()
  })
  after(() => loose.network.close())
  afterEach(() => loose.network.fault({ Fault: 'clear' }))

  const send = (one: NoiseConnection, count: number) =>
    one.send(el('ib', {}, [el('offline_batch', { count: String(count) })]))
  const queued = ({ stanzas }: NoiseConnection) =>
    stanzas.filter(({ attrs }) => attrs['offline'] !== undefined)
  const isEnded = ({ stanzas }: NoiseConnection) => stanzas.some((stanza) => child(stanza, 'offline'))
  /** A change that the companions of Ana are told. */
  async function leave(): Promise<void> {
    await ana.act({ Action: 'setAbout', Text: `about ${Math.random()}` })
  }
  /** The network has handled all that this client has sent. */
  async function settled(one: NoiseConnection): Promise<void> {
    const id = `ping-${Math.random()}`
    one.send(el('iq', { to: 's.whatsapp.net', type: 'get', xmlns: 'w:p', id }, [el('ping', {})]))
    await eventually(() => one.stanzas.some(({ attrs }) => attrs['id'] === id), 'an answer')
  }

  it('is announced, begins with five stanzas, and comes batch by batch; live ones after the end (whatsapp/02)', async () => {
    const one = await companion.logIn()
    const preview = child(await stanzaWith(one, 'offline_preview'), 'offline_preview')
    const count = Number(preview?.attrs['count'])
    expect(count).to.be.at.least(WAITING)
    await settled(one)
    expect(queued(one)).to.have.length(5)
    await leave()
    send(one, 4)
    await settled(one)
    expect([queued(one).length, isEnded(one)]).to.deep.equal([9, false])
    send(one, 200)
    const end = child(await stanzaWith(one, 'offline'), 'offline')
    expect(end?.attrs['count']).to.equal(String(count))
    expect(queued(one)).to.have.length(count)
    await settled(one)
    const last = one.stanzas.findIndex((stanza) => child(stanza, 'offline'))
    const live = one.stanzas.slice(last).filter(({ tag }) => tag === 'notification')
    expect(live).to.have.length(1)
    expect(live[0]?.attrs).not.to.have.property('offline')
    await one.close()
  })

  it('has a list of its chats ahead of it, and other bulletins, of which those for what is dirty come until it is clean (whatsapp/34)', async () => {
    const bulletins = ({ stanzas }: NoiseConnection) =>
      stanzas.filter(({ tag }) => tag === 'ib').map((stanza) => children(stanza)[0]?.tag)
    const one = await companion.logIn()
    await stanzaWith(one, 'offline_preview')
    const first = ['edge_routing', 'dirty', 'dirty', 'tos', 'thread_metadata', 'offline_preview']
    expect(bulletins(one)).to.deep.equal(first)
    const manifest = child(await stanzaWith(one, 'thread_metadata'), 'thread_metadata')
    expect(Number(child(manifest, 'notifications')?.attrs['count'])).to.be.at.least(WAITING)
    const clean = el('clean', { type: 'groups', timestamp: '1' })
    one.send(el('iq', { type: 'set', xmlns: 'urn:xmpp:whatsapp:dirty', id: 'clean' }, [clean]))
    await settled(one)
    await one.close()
    const two = await companion.logIn()
    await stanzaWith(two, 'offline_preview')
    send(two, 200)
    await stanzaWith(two, 'offline')
    const dirty = two.stanzas.flatMap((stanza) => child(stanza, 'dirty')?.attrs['type'] ?? [])
    expect(dirty).to.deep.equal(['account_sync'])
    expect(bulletins(two).slice(-2)).to.deep.equal(['priority_offline_complete', 'offline'])
    await two.close()
  })

  it('comes again with the next login as long as it is not acknowledged', async () => {
    const one = await companion.logIn()
    await stanzaWith(one, 'offline_preview')
    await settled(one)
    const [first] = queued(one)
    const { id, type, from } = first?.attrs ?? {}
    one.send(el('ack', { class: first?.tag, id, type, to: from }))
    await settled(one)
    await one.close()
    const two = await companion.logIn()
    await stanzaWith(two, 'offline_preview')
    send(two, 200)
    await stanzaWith(two, 'offline')
    const ids = queued(two).map(({ attrs }) => attrs['id'])
    expect(ids).not.to.include(id)
    expect(ids).to.include(queued(one)[1]?.attrs['id'])
    await two.close()
  })

  it('comes at once with the switch for clients that do not ask', async () => {
    loose.network.fault({ Fault: 'pushQueue' })
    const one = await companion.logIn()
    await stanzaWith(one, 'offline')
    expect(queued(one).length).to.be.at.least(WAITING)
    await one.close()
  })

  it('has a link that is cut in between go on with the rest (whatsapp/02)', async () => {
    loose.network.fault({ Fault: 'cutQueue', Phone: ana.account.phone, Count: 3 })
    const one = await companion.logIn()
    await eventually(() => queued(one).length === 3, 'three stanzas')
    const two = await companion.logIn()
    await stanzaWith(two, 'offline_preview')
    await settled(two)
    expect(queued(two)).to.have.length(5)
    expect(queued(one)).to.have.length(3)
    expect(isEnded(one)).to.equal(false)
    await two.close()
  })
})
