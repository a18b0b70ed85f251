import { expect } from 'chai'
import { createRestrictions, endOf, isAboutLimits } from '../../../plugins/pacing/restrictions.ts'

type Parts = Parameters<typeof createRestrictions>[0]

describe('restrictions on new chats', () => {
  // Read when the file is loaded: the tests may run long after.
  const end = new Date(Date.now() + 24 * 3_600_000)
  const lock = { isActive: true, timeEnforcementEnds: end }
  const free = { isActive: false }

  /** A session whose network answers what `reports` holds. */
  const restrictionsOf = (reports: { lock: object | Error; asked: number }) => {
    const answer = async () => {
      reports.asked += 1
      await new Promise((resolve) => setImmediate(resolve))
      if (reports.lock instanceof Error) throw reports.lock
      return reports.lock
    }
    const wa = { fetchAccountReachoutTimelock: answer, fetchNewChatMessageCap: async () => ({}) }
    return createRestrictions({
      config: { holdMs: 30_000 },
      log: { warn: () => undefined },
      sessions: { byId: async () => ({ socket: { wa } }) },
    } as unknown as Parts)
  }

  it('end at the reported time, and are queried once for concurrent calls', async () => {
    const reports = { lock, asked: 0 }
    const restrictions = restrictionsOf(reports)
    const ends = await Promise.all([
      restrictions.until('a'),
      restrictions.until('a'),
      restrictions.until('a'),
    ])
    expect(ends).to.deep.equal([end.getTime(), end.getTime(), end.getTime()])
    expect(reports.asked).to.equal(1)
  })

  it('end early when the network notifies a change and reports none', async () => {
    const reports: Parameters<typeof restrictionsOf>[0] = { lock, asked: 0 }
    const restrictions = restrictionsOf(reports)
    await restrictions.until('a')
    reports.lock = free
    expect(await restrictions.until('a')).to.equal(end.getTime())
    restrictions.forget('a')
    expect(await restrictions.until('a')).to.equal(0)
  })

  it('last for the configured time after a refusal without an end time', async () => {
    for (const answer of [free, new Error('no answer')]) {
      const restrictions = restrictionsOf({ lock: answer, asked: 0 })
      expect(await restrictions.until('a')).to.equal(0)
      restrictions.refused('a')
      expect(await restrictions.until('a')).to.be.within(Date.now() + 20_000, Date.now() + 30_000)
      expect(await restrictions.until('b')).to.equal(0)
    }
  })

  it('last until the later end of timelock and exhausted quota', () => {
    const cycle = String(Math.floor(end.getTime() / 1000) + 60)
    const capped = { capping_status: 'CAPPED', cycle_end_timestamp: cycle } as Parameters<typeof endOf>[1]
    expect(endOf(lock, capped)).to.equal(Number(cycle) * 1000)
    expect(endOf(lock, undefined)).to.equal(end.getTime())
    expect(endOf(free, { ...capped, capping_status: 'NONE' } as typeof capped)).to.equal(0)
  })

  it('are read again after either of two notifications', () => {
    const news = (type: string, name: string) =>
      isAboutLimits({
        tag: 'notification',
        attrs: { type },
        content: [{ tag: 'update', attrs: { op_name: name } }],
      })
    expect(news('mex', 'NotificationUserReachoutTimelockUpdate')).to.equal(true)
    expect(news('mex', 'MessageCappingInfoNotification')).to.equal(true)
    expect(news('mex', 'NotificationNewsletterJoin')).to.equal(false)
    expect(news('w:gp2', 'NotificationUserReachoutTimelockUpdate')).to.equal(false)
  })
})
