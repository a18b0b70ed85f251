import { expect } from 'chai'
import { definePlugin, T } from '../../kernel/plugin.ts'
import { deferred } from '../support/deferred.ts'
import { type LinkedSession, startWorld, type World } from '../support/world.ts'

describe('a request whose link ends before it asks the network', () => {
  const begun = deferred<void>()
  const ended = deferred<void>()
  const slow = definePlugin({
    name: 'slow',
    version: '1.0.0',
    api: '^1.0.0',
    routes: (r) => [
      r.post('/slow', {
        summary: 'Ask the network after a while',
        response: T.Object({}),
        async handle({ session }) {
          begun.resolve()
          await ended.promise
          const ping = { tag: 'iq', attrs: { to: 's.whatsapp.net', type: 'get', xmlns: 'w:p' }, content: [] }
          await session.socket.query(ping, 'ask')
          return {}
        },
      }),
    ],
  })
  let world: World
  let session: LinkedSession
  before(async () => {
    world = await startWorld({ extra: [slow] })
    session = await world.linked(await world.phone('Shop'))
  })
  after(() => world.stop())

  it('is told that the network did not answer', async () => {
    const answer = session.post('/slow')
    await begun.promise
    expect(await session.post('/session/disconnect')).to.include({ status: 200 })
    ended.resolve()
    const { status, errorCode, error } = await answer
    expect(status, `${errorCode}: ${error}`).to.be.oneOf([502, 504])
  })
})
