import { expect } from 'chai'
import { createResendLimit } from '../../../../../plugins/baileys/socket/retries/resend-limit.ts'
import { createWaitingRequests } from '../../../../../plugins/baileys/socket/retries/waiting-requests.ts'
import { eventually } from '../../../../support/eventually.ts'
import { readMetrics } from '../../../../support/metrics.ts'
import { admin, openShop } from '../../../../support/world.ts'

const DEVICES = 200

describe('the limit of what is sent again', () => {
  it('lets 20 a chat pass at once, and 10 a minute from then on', () => {
    let time = 0
    const limit = createResendLimit({ burst: 20, perMinute: 10, now: () => time })
    const taken = (chat: string, turns: number): number =>
      Array.from({ length: turns }, () => limit.take(chat)).filter((ms) => ms === 0).length
    expect([taken('a', DEVICES), taken('b', DEVICES)]).to.deep.equal([20, 20])
    expect(limit.take('a')).to.equal(6_000)
    let passed = 20
    for (time = 1_000; time <= 60_000; time += 1_000) passed += taken('a', 1)
    expect(passed).to.equal(30)
    time += 24 * 3_600_000
    expect(taken('a', DEVICES)).to.equal(20)
  })

  it('answers what it holds later, in order and without a loss (whatsapp/12)', async () => {
    const limit = createResendLimit({ burst: 20, perMinute: 60_000, now: Date.now })
    const waiting = createWaitingRequests(limit, () => true)
    const answered: number[] = []
    const all = Array.from({ length: DEVICES }, (_, i) => i)
    for (const i of all) waiting.admit('a', () => answered.push(i))
    expect(answered.length).to.be.within(20, 40)
    await eventually(() => answered.length === DEVICES, 'all are answered')
    expect(answered).to.deep.equal(all)
  })

  it('is that of a session, also across its links', async () => {
    const { world, session, ana } = await openShop()
    const { phone } = session.phone.account
    const ids: string[] = []
    const says = async (Body: string): Promise<string> =>
      (await session.post('/send/text', { Phone: ana.account.lid, Body })).data?.Id ?? ''
    for (let i = 0; i < 30; i += 1) ids.push(await says(`${i}`))
    const { attrs } = await ana.wait(({ id }) => id === ids[0])
    for (const Id of ids) await ana.act({ Action: 'askAgain', Id, Companion: String(attrs['from']) })
    const resends = async () =>
      (await readMetrics(world.gateway.url, admin)).value('wamux_resends_total') ?? 0
    await eventually(async () => (await resends()) >= 20, 'the first are sent again')
    const { logins } = world.counters()
    world.fault({ Phone: phone, Fault: 'drop' })
    await eventually(() => world.counters()['logins'] !== logins, 'the next link')
    const last = await eventually(() => says('last'), 'the next link sends')
    await ana.wait(({ id }) => id === last)
    expect(await resends()).to.be.within(20, 22)
    await world.stop()
  })
})
