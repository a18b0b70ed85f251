import { expect } from 'chai'
import { createFeed } from '../../../plugins/sandbox/feed.ts'
import { type EventStream, openEventStream } from '../../support/events/event-stream.ts'
import { admin, openShop, type Shop } from '../../support/world.ts'

interface Change {
  Kind: string
  Phone: string
  Message?: { ID: string; Text: string; Tick: string; Reactions: object[] }
  Direction?: string
  Stanza?: { Tag: string; Attrs: Record<string, string>; Nodes?: object[] }
  State?: string
}

describe('the stream of the phones', () => {
  let shop: Shop
  let number: string
  let ana: string
  const streams: EventStream[] = []
  before(async () => {
    shop = await openShop()
    number = shop.session.phone.account.phone
    ana = shop.ana.account.phone
  })
  after(async () => {
    for (const stream of streams) stream.close()
    await shop.world.stop()
  })

  async function open(query = '', headers: Record<string, string> = {}): Promise<EventStream> {
    const stream = openEventStream(`${shop.world.gateway.url}/sandbox/stream${query}`, {
      ...admin,
      ...headers,
    })
    streams.push(stream)
    await stream.until((text) => text.startsWith('id: '))
    return stream
  }
  const changes = (text: string): Change[] =>
    [...text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json ?? ''))
  const until = async (stream: EventStream, fits: (change: Change) => boolean): Promise<Change> => {
    const text = await stream.until((all) => changes(all).some(fits))
    const found = changes(text).find(fits)
    if (!found) throw new Error('not found')
    return found
  }
  const act = (phone: string, body: object) =>
    shop.world.gateway.post(`/sandbox/phones/${phone}/actions`, body, admin)

  it('has messages of both phones, and again when they change', async () => {
    const stream = await open()
    const id = await shop.ana.send(number, { Text: 'live' })
    await until(stream, ({ Phone, Message }) => Phone === number && Message?.Text === 'live')
    await until(stream, ({ Phone, Message }) => Phone === ana && Message?.Tick === 'delivered')
    await act(number, { Action: 'react', Id: id, Text: '🎉' })
    const { Message } = await until(
      stream,
      (change) => change.Phone === ana && change.Message?.Reactions.length === 1,
    )
    expect(Message).to.include({ ID: id, Text: 'live' })
  })

  it('has typing, faults, and phones that change', async () => {
    const stream = await open(`?phone=${number}`)
    await act(ana, { Action: 'typing', Chat: number })
    expect(await until(stream, ({ Kind }) => Kind === 'typing')).to.include({ From: ana, State: 'composing' })
    await shop.world.gateway.post('/sandbox/faults', { Fault: 'mediaDown' }, admin)
    await until(stream, ({ Kind, Phone }) => Kind === 'fault' && Phone === '')
    await shop.world.gateway.post('/sandbox/faults', { Fault: 'clear' }, admin)
    await shop.world.gateway.post('/sandbox/faults', { Fault: 'drop', Phone: number }, admin)
    const text = await stream.until((all) => changes(all).filter(({ Kind }) => Kind === 'phone').length > 1)
    expect(
      changes(text).some(({ Phone }) => Phone === ana),
      'only of the phone asked for',
    ).to.equal(false)
    await shop.session.status({ LoggedIn: true })
  })

  it('has every stanza of companions and phones, decoded, if asked', async () => {
    const plain = await open()
    const stream = await open('?stanzas=true')
    const id = await shop.ana.send(number, { Text: 'on the wire' })
    const isMessage = ({ Stanza }: Change): boolean => Stanza?.Tag === 'message' && Stanza.Attrs['id'] === id
    const up = await until(stream, (one) => isMessage(one) && one.Phone === ana && one.Direction === 'up')
    expect(up.Stanza?.Nodes).to.have.length.greaterThan(0)
    await until(stream, (one) => isMessage(one) && one.Phone === number && one.Direction === 'down')
    await until(stream, ({ Stanza, Direction }) => Stanza?.Tag === 'ack' && Direction === 'down')
    await until(plain, ({ Message }) => Message?.ID === id)
    expect(changes(await plain.until(() => true)).some(({ Kind }) => Kind === 'stanza')).to.equal(false)
  })

  it('resumes behind the last change, and says when changes are gone', async () => {
    const stream = await open()
    await shop.ana.send(number, { Text: 'before the cut' })
    const text = await stream.until((all) => all.includes('before the cut'))
    const seen = [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? ''
    stream.close()
    await shop.ana.send(number, { Text: 'during the cut' })
    const again = await open('', { 'last-event-id': seen })
    await again.until((all) => all.includes('during the cut'))
    const foreign = await open('', { 'last-event-id': 'abc-5' })
    await until(foreign, ({ Kind }) => Kind === 'reset')
  })

  it('is for the admin only', async () => {
    expect(await shop.world.gateway.get('/sandbox/stream')).to.include({ status: 401 })
  })
})

describe('the feed of the sandbox', () => {
  it('keeps a bounded number of changes', () => {
    const feed = createFeed(100)
    for (let i = 0; i < 1_000; i += 1) feed.publish('phone', '1')
    expect(feed.last).to.equal(1_000)
    expect(feed.after(0)).to.equal(undefined)
    expect(feed.after(950)?.map(({ seq }) => seq)[0]).to.equal(951)
    expect(feed.after(1_000)).to.deep.equal([])
    expect(feed.after(1_001), 'a seq of the future').to.equal(undefined)
  })

  it('wakes those who wait at the next change, and after their time', async () => {
    const feed = createFeed()
    const { signal } = new AbortController()
    const waiting = feed.wait(0, 10_000, signal)
    feed.publish('phone', '1')
    expect(await waiting).to.equal(true)
    expect(await feed.wait(1, 1, signal)).to.equal(false)
  })
})
