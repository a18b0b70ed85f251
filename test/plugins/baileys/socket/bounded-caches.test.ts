import { expect } from 'chai'
import { createCache } from '../../../../plugins/baileys/socket/cache.ts'
import { createProbe } from '../../../support/probe.ts'
import { startWorld, type World } from '../../../support/world.ts'

describe('the caches of a link', () => {
  const probe = createProbe()
  let world: World
  before(async () => {
    world = await startWorld({ extra: [probe.plugin] })
  })
  after(() => world.stop())

  it('hold no sent message, which is found in the database when it is asked for again', async () => {
    const session = await world.linked(await world.phone('Shop'))
    const ana = await world.phone('Ana')
    const { wa } = await probe.socket(session)
    const { jid, lid } = ana.account
    const { data } = await session.post('/send/text', { Phone: ana.account.phone, Body: 'hello' })
    await ana.wait(({ id }) => id === data.Id, 10_000)
    const { messageRetryManager } = wa
    const cached = [jid, lid].map((chat) => messageRetryManager?.getRecentMessage(chat, data.Id))
    expect(cached).to.deep.equal([undefined, undefined])
    expect(messageRetryManager?.incrementRetryCount(data.Id)).to.equal(1)
    expect(messageRetryManager?.incrementRetryCount(data.Id)).to.equal(2)
    messageRetryManager?.markRetrySuccess(data.Id)
    expect(messageRetryManager?.getRetryCount(data.Id)).to.equal(0)
  })

  it('drop what was used least recently, and what has expired', async () => {
    const cache = createCache(2, 60_000)
    cache.set('a', 1)
    cache.set('b', 2)
    expect(cache.get('a')).to.equal(1)
    cache.set('c', 3)
    expect(['a', 'b', 'c'].map((key) => cache.get(key))).to.deep.equal([1, undefined, 3])
    cache.delete('a')
    expect(cache.get('a')).to.equal(undefined)
    cache.clear()
    expect(cache.get('c')).to.equal(undefined)
    const expired = createCache(2, -1)
    expired.set('a', 1)
    expect(expired.get('a')).to.equal(undefined)
  })
})
