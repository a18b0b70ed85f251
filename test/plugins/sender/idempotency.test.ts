import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import type { Answer } from '../../support/calls.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'

describe('a repeated send', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  before(async () => {
    ;({ world, session, ana } = await openShop({ config: { baileys: { ackTimeoutMs: 500 } } }))
    await session.post('/send/text', { Phone: ana.account.phone, Body: 'hello' })
  })
  after(() => world.stop())

  const send = (Body: string, headers: Record<string, string>, extra: object = {}): Promise<Answer> =>
    world.gateway.post(
      '/send/text',
      { Phone: ana.account.phone, Body, ...extra },
      { ...session.headers, ...headers },
    )
  const key = (value: string) => ({ 'Idempotency-Key': value })
  const onPhone = (text: string) =>
    ana.messages().filter(({ raw }) => raw.extendedTextMessage?.text === text).length
  const messages = () => world.counters()['messages'] ?? 0

  it('is sent once under the same Idempotency-Key, and marked as a replay', async () => {
    const url = `${world.gateway.url}/send/text`
    const body = JSON.stringify({ Phone: ana.account.phone, Body: 'by key' })
    const headers = { ...session.headers, 'content-type': 'application/json', ...key('order-18') }
    const first = await fetch(url, { method: 'POST', headers, body })
    const again = await fetch(url, { method: 'POST', headers, body })
    expect([first.status, first.headers.get('idempotent-replay')]).to.deep.equal([200, null])
    expect([again.status, again.headers.get('idempotent-replay')]).to.deep.equal([200, 'true'])
    const answer = (await first.json()) as Answer
    expect(await again.json()).to.deep.equal(answer)
    await ana.wait(({ id }) => id === answer.data.Id)
    await send('after', {})
    await ana.wait(({ raw }) => raw.extendedTextMessage?.text === 'after')
    expect(onPhone('by key')).to.equal(1)
  })

  it('is recognized by the Id that its key was answered with', async () => {
    const first = await send('either', key('either'))
    const again = await send('either', {}, { Id: first.data.Id })
    expect(again).to.include({ status: 200 })
    expect(again.data).to.deep.equal(first.data)
    expect(onPhone('either')).to.equal(1)
  })

  it('is refused with another payload under the same key', async () => {
    await send('one', key('shared'))
    const before = messages()
    expect(await send('two', key('shared'))).to.include({ status: 422, success: false })
    const elsewhere = { Phone: ana.account.phone, Latitude: 0, Longitude: 0 }
    const other = await world.gateway.post('/send/location', elsewhere, {
      ...session.headers,
      ...key('shared'),
    })
    expect(other).to.include({ status: 422, success: false })
    expect(messages()).to.equal(before)
  })

  it('is answered with the outcome of the first where that is still running', async () => {
    const { phone } = session.phone.account
    world.fault({ Phone: phone, Fault: 'delay', Ms: 200 })
    const all = await Promise.all([1, 2, 3].map(() => send('slow', key('slow'))))
    world.fault({ Phone: phone, Fault: 'clear' })
    for (const one of all) expect(one, one.error).to.deep.include({ status: 200, data: all[0]?.data })
    await ana.wait(({ id }) => id === all[0]?.data.Id)
    expect(onPhone('slow')).to.equal(1)
  })

  it('is refused as the first is where that is still running, and with 422 if it differs', async () => {
    const { phone } = session.phone.account
    world.fault({ Phone: phone, Fault: 'delay', Ms: 200 })
    world.fault({ Phone: phone, Fault: 'refuse', Code: 463 })
    const refused = await Promise.all([send('no', key('no')), send('no', key('no'))])
    const mixed = await Promise.all([send('a', key('mixed')), send('b', key('mixed'))])
    world.fault({ Phone: phone, Fault: 'clear' })
    for (const one of refused) expect(one).to.include({ status: 403, errorCode: 'TOKEN_MISSING' })
    expect(mixed.map(({ status }) => status).sort()).to.deep.equal([403, 422])
  })

  it('is accepted with `Prefer: respond-async` where the first is still running', async () => {
    const { phone } = session.phone.account
    const headers = { ...key('async'), Prefer: 'respond-async' }
    world.fault({ Phone: phone, Fault: 'delay', Ms: 300 })
    const first = send('async', key('async'))
    const accepted = await Promise.all([send('async', headers), send('async', headers)])
    for (const one of accepted) expect(one).to.include({ status: 202 })
    const { status, data } = await first
    world.fault({ Phone: phone, Fault: 'clear' })
    expect({ status, Id: data.Id }).to.deep.equal({ status: 200, Id: accepted[0]?.data.Id })
    expect((await send('async', headers)).data).to.deep.equal(data)
  })

  it('is independent in each session', async () => {
    const other = await world.linked(await world.phone('Other shop'))
    const mine = await send('whose', key('whose'))
    const body = { Phone: ana.account.phone, Body: 'whose' }
    const theirs = await world.gateway.post('/send/text', body, { ...other.headers, ...key('whose') })
    expect(theirs).to.include({ status: 200 })
    expect(theirs.data.Id).not.to.equal(mine.data.Id)
    await ana.wait(({ id }) => id === theirs.data.Id)
  })

  it('is refused for an invalid key, naming the header', async () => {
    const before = messages()
    for (const value of ['x'.repeat(256), 'two words', 'ação']) {
      const answer = await send('x', key(value))
      expect(answer, value).to.include({ status: 400, success: false })
      expect(answer.error, value).to.include('Invalid Idempotency-Key: must be')
    }
    const both = await send('x', key('both'), { Id: 'both' })
    expect(both).to.include({ status: 400, error: 'Invalid Idempotency-Key: set it or Id, not both' })
    expect(messages()).to.equal(before)
  })

  it('gets the same refusal without another attempt', async () => {
    world.fault({ Phone: session.phone.account.phone, Fault: 'refuse', Code: 463, Count: 1 })
    const first = await send('to a stranger', key('stranger'))
    expect(first).to.include({ status: 403, success: false })
    const before = world.counters()
    const seen = { refused: before['refused'], messages: before['messages'] }
    const again = await send('to a stranger', key('stranger'))
    expect(again).to.deep.equal(first)
    expect(world.counters()).to.include(seen)
  })

  it('is attempted again after a rate limit', async () => {
    world.fault({ Phone: session.phone.account.phone, Fault: 'refuse', Code: 429, Count: 1 })
    expect(await send('too fast', key('fast'))).to.include({ status: 429 })
    const again = await send('too fast', key('fast'))
    expect(again).to.include({ status: 200 })
    await ana.wait(({ id }) => id === again.data.Id)
  })

  for (const code of [500, 503]) {
    it(`is attempted again after the network was not available (${code})`, async () => {
      world.fault({ Phone: session.phone.account.phone, Fault: 'refuse', Code: code, Count: 1 })
      const first = await send(`busy ${code}`, key(`busy-${code}`))
      expect(first).to.include({ status: 502, errorCode: 'NETWORK_UNAVAILABLE' })
      const again = await send(`busy ${code}`, key(`busy-${code}`))
      expect(again, again.error).to.include({ status: 200 })
      await ana.wait(({ id }) => id === again.data.Id)
    })
  }

  it('is sent again under the same id after no answer, and dropped by the network as a duplicate', async () => {
    const { phone } = session.phone.account
    // The message passes, its ack comes too late.
    world.fault({ Phone: phone, Fault: 'delay', Ms: 700 })
    expect(await send('did it', key('unanswered'))).to.include({ status: 504 })
    world.fault({ Phone: phone, Fault: 'clear' })
    const before = world.counters()['duplicates'] ?? 0
    const again = await send('did it', key('unanswered'))
    expect(again).to.include({ status: 200 })
    expect(world.counters()['duplicates']).to.equal(before + 1)
    await ana.wait(({ id }) => id === again.data.Id)
    expect(onPhone('did it')).to.equal(1)
  })
})
