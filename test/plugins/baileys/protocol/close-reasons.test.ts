import { expect } from 'chai'
import type { Calls } from '../../../support/calls.ts'
import { everyEngine } from '../../../support/databases.ts'
import { eventually } from '../../../support/eventually.ts'
import type { TestGateway } from '../../../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../../../support/network.ts'
import { startOn } from '../../../support/restarts.ts'
import type { LinkedSession } from '../../../support/sessions.ts'
import { linkPhone } from '../../../support/sessions.ts'

const MINUTE_MS = 60_000
const HOUR_S = 3600

/** Milliseconds until the next login. */
const WAITS = {
  now: [0, 0],
  soon: [0, 1_000],
  limit: [5 * MINUTE_MS, 10 * MINUTE_MS],
  ban: [2 * HOUR_S * 1000 - MINUTE_MS, 2 * HOUR_S * 1000],
  hour: [HOUR_S * 1000 - MINUTE_MS, HOUR_S * 1000],
} as const

interface Row {
  readonly fault: Record<string, unknown>
  readonly cause: string
  /** The state that it stays in; it is open again soon without one. */
  readonly state?: string
  /** No login follows without one. */
  readonly wait?: keyof typeof WAITS
  readonly next?: RegExp
}

const OUT = { cause: 'logged-out', state: 'logged-out', next: /link the phone again/ } as const
const REPLACED = { cause: 'replaced', state: 'replaced', next: /Stop the other process/ } as const
const BANNED = { cause: 'banned', state: 'banned', next: /Open WhatsApp on the phone/ } as const
const AWAY = { cause: 'unavailable', wait: 'soon' } as const
const LOST = { cause: 'lost', wait: 'soon' } as const
const UNKNOWN = { cause: 'unknown-client', state: 'failed', next: /still there, call POST/ } as const
const LIMITED = { cause: 'rate-limited', state: 'waiting', wait: 'limit', next: /fewer logins/ } as const
const FOR_A_WHILE = {
  cause: 'temporary-ban',
  state: 'waiting',
  next: /banned the account for a while/,
} as const

const STREAM_ERRORS: readonly Row[] = [
  { fault: { Code: 515 }, cause: 'restart', wait: 'now' },
  { fault: { Code: 516 }, ...OUT },
  { fault: { Code: 401, Conflict: 'device_removed' }, ...OUT },
  { fault: { Conflict: 'device_removed' }, ...OUT },
  { fault: { Conflict: 'replaced' }, ...REPLACED },
  { fault: { Code: 409 }, ...REPLACED },
  { fault: { Code: 503 }, ...AWAY },
  { fault: { Code: 429 }, ...LIMITED },
  { fault: { Type: 'ack' }, ...AWAY },
  { fault: { Type: 'xml-not-well-formed' }, ...AWAY },
  { fault: { Code: 599 }, ...LOST },
]

const FAILURES: readonly Row[] = [
  { fault: { Code: 400 }, ...LOST },
  { fault: { Code: 401 }, ...OUT },
  { fault: { Code: 402, Attrs: { code: '101', expire: '7200' } }, ...FOR_A_WHILE, wait: 'ban' },
  { fault: { Code: 402 }, ...FOR_A_WHILE, wait: 'hour' },
  { fault: { Code: 403 }, ...BANNED },
  { fault: { Code: 406 }, ...BANNED },
  { fault: { Code: 409 }, cause: 'bad-user-agent', state: 'failed', next: /newer version of wamux/ },
  { fault: { Code: 411 }, ...OUT },
  { fault: { Code: 413 }, ...LOST },
  { fault: { Code: 414 }, ...LOST },
  { fault: { Code: 415 }, ...UNKNOWN },
  { fault: { Code: 418 }, ...UNKNOWN },
  { fault: { Code: 429 }, ...LIMITED },
  { fault: { Code: 500 }, ...AWAY },
  { fault: { Code: 501 }, ...AWAY },
  { fault: { Code: 503 }, ...AWAY },
]

describe('how the network ends a link', () => {
  const place = (everyEngine[0] as (typeof everyEngine)[number]).fresh()
  let loose: LooseNetwork
  let gateway: TestGateway
  let session: LinkedSession | undefined
  let count = 0
  before(async () => {
    loose = await startNetwork()
    gateway = await startOn(loose, place)
  })
  after(async () => {
    await gateway.stop()
    await loose.network.close()
  })
  afterEach(() => loose.network.fault({ Fault: 'clear' }))

  /** Of the gateway that runs. */
  const calls: Calls = {
    call: (...args) => gateway.call(...args),
    get: (...args) => gateway.get(...args),
    post: (...args) => gateway.post(...args),
  }
  const closings = () =>
    gateway.lines
      .map((line) => JSON.parse(line) as { msg: string; reason: string; retryIn?: number })
      .filter(({ msg }) => msg === 'session closed')
  /** Others log in when the gateway starts again. */
  const loginsOf = (phone: string) =>
    (loose.network.view()['Logins'] as { Phone: string }[]).filter(({ Phone }) => Phone === phone).length

  async function linked(): Promise<LinkedSession> {
    count += 1
    session ??= await linkPhone(calls, await loose.phones.create({ name: `Shop ${count}` }))
    await session.status({ State: 'open' })
    return session
  }

  async function ended(one: LinkedSession, faults: readonly { Fault: string }[]) {
    const { length } = closings()
    for (const fault of faults) loose.network.fault({ Phone: one.phone.account.phone, ...fault })
    return eventually(() => closings()[length + faults.length - 1], 'it is closed')
  }

  async function shows(
    { cause, state, wait, next }: Row,
    one: LinkedSession,
    closing: { reason: string; retryIn?: number },
  ) {
    expect(closing.reason).to.equal(cause)
    if (wait) expect(closing.retryIn).to.be.within(WAITS[wait][0], WAITS[wait][1])
    else expect(closing).not.to.have.property('retryIn')
    if (!state) return void (await one.status({ State: 'open' }))
    session = undefined
    await one.status({ State: state })
    const { data } = await one.get('/session/status')
    expect(data.Next).to.match(next as RegExp)
    return undefined
  }

  for (const row of STREAM_ERRORS)
    it(`stream error ${JSON.stringify(row.fault)}: ${row.cause} (whatsapp/14)`, async () => {
      const one = await linked()
      await shows(row, one, await ended(one, [{ Fault: 'streamError', ...row.fault }]))
    })

  for (const row of FAILURES)
    it(`failure ${JSON.stringify(row.fault)}: ${row.cause} (whatsapp/13)`, async () => {
      const one = await linked()
      const failure = { Fault: 'failure', Count: 1, ...row.fault }
      await shows(row, one, await ended(one, [failure, { Fault: 'drop' }]))
    })

  it('402: shows code and end of the ban, and logs in after it, also over a restart (whatsapp/13)', async () => {
    const one = await linked()
    const { phone } = one.phone.account
    const before = loginsOf(phone)
    loose.network.fault({
      Phone: phone,
      Fault: 'failure',
      Code: 402,
      Count: 1,
      Attrs: { code: '104', expire: '12' },
    })
    loose.network.fault({ Phone: phone, Fault: 'drop' })
    const shown = async () => {
      await one.status({ State: 'waiting', BanCode: '104' })
      const { data } = await one.get('/session/status')
      expect(data.Reason).to.match(/the same message to too many people \(104\)/)
      return Date.parse(data.Until)
    }
    const until = await shown()
    expect(until).to.be.within(Date.now() + 1_000, Date.now() + 12_000)
    await one.post('/session/connect')
    await gateway.stop()
    gateway = await startOn(loose, place)
    expect(await shown()).to.equal(until)
    await one.post('/session/disconnect')
    await one.post('/session/connect')
    expect(await shown()).to.equal(until)
    expect(loginsOf(phone)).to.equal(before + 1)
    await one.status({ State: 'open', BanCode: '', Until: '' })
    expect(Date.now()).to.be.at.least(until)
  })
})
