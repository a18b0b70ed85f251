import { expect } from 'chai'
import type { LiveSession } from '../../../kernel/plugin.ts'
import { createLiveUpdates } from '../../../plugins/newsletters/live-updates.ts'

describe('live updates of newsletters', () => {
  it('are renewed before they expire', async () => {
    let asked = 0
    let onThird = (): void => undefined
    const third = new Promise<void>((resolve) => {
      onThird = resolve
    })
    const session = {
      id: 's',
      loggedIn: true,
      socket: {
        async query() {
          asked += 1
          if (asked === 3) onThird()
          return { tag: 'iq', attrs: {}, content: [{ tag: 'live_updates', attrs: { duration: '0.02' } }] }
        },
      },
    } as unknown as LiveSession
    const work: Promise<unknown>[] = []
    const live = createLiveUpdates({
      sessions: { byId: async () => session },
      db: { write: async () => undefined, add: () => ({}) },
      background: (promise: Promise<unknown>) => work.push(promise),
    } as never)
    expect(await live.start(session, '1@newsletter')).to.equal(0.02)
    await third
    await Promise.all(work)
    live.close()
  })
})
