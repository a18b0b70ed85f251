import { EventEmitter } from 'node:events'
import { mock } from 'node:test'
import { expect } from 'chai'
import { createServerClock } from '../../../../../plugins/baileys/socket/connection/server-clock.ts'

const NOW_MS = 1_800_000_000_000

describe('the time of the network', () => {
  beforeEach(() => mock.timers.enable({ apis: ['Date'], now: NOW_MS }))
  afterEach(() => mock.timers.reset())

  it('is learnt at the login, and from each pong at half its round trip', () => {
    const ws = new EventEmitter()
    const clock = createServerClock({ ws } as never)
    expect(clock.now()).to.equal(NOW_MS)
    ws.emit('CB:success', { tag: 'success', attrs: { t: String(NOW_MS / 1000 + 3600) } })
    expect(clock.now()).to.equal(NOW_MS + 3_600_000)
    mock.timers.tick(2_000)
    expect(clock.now()).to.equal(NOW_MS + 3_602_000)
    clock.answered({ tag: 'iq', attrs: { t: String(NOW_MS / 1000 + 61) } }, NOW_MS)
    expect(clock.now()).to.equal(NOW_MS + 62_000)
    clock.answered({ tag: 'iq', attrs: {} }, NOW_MS)
    expect(clock.now()).to.equal(NOW_MS + 62_000)
  })
})
