import { expect } from 'chai'
import { everyEngine } from '../../support/databases.ts'
import { startNetwork } from '../../support/network.ts'
import { startOn } from '../../support/restarts.ts'
import { linkPhone } from '../../support/sessions.ts'

/** More than are restored at once. */
const SESSIONS = 24

describe('a stop while sessions are being restored', () => {
  it('opens none of those that wait for their turn, and is done at once', async () => {
    const place = (everyEngine[0] as (typeof everyEngine)[0]).fresh()
    const loose = await startNetwork()
    const first = await startOn(loose, place)
    const link = async (): Promise<unknown> => linkPhone(first, await loose.phones.create({}))
    for (let i = 0; i < SESSIONS; i += 4) await Promise.all([link(), link(), link(), link()])
    await first.stop()

    // Links are opened and get no answer: each takes its time.
    loose.network.fault({ Fault: 'silent' })
    const second = await startOn(loose, place)
    const began = performance.now()
    await second.stop()
    expect(performance.now() - began, 'milliseconds').to.be.below(4_000)
    const failed = second.lines.filter((line) => line.includes('background work failed'))
    expect(failed).to.deep.equal([])
    await loose.network.close()
  })
})
