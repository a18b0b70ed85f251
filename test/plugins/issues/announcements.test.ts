import { expect } from 'chai'
import { type Engine, engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'
import { crm } from './crm.ts'
import { allTold, SECRET, told, waitTold } from './told.ts'

/** Looks of the watch for which an issue must be absent. */
const SETTLE = { seconds: 0.05, settleSeconds: 0.5 }

for (const engine of engines) describe(`announcements of issues, ${engine.name}`, () => announcements(engine))

function announcements(engine: Engine): void {
  let world: World
  let operator: Receiver
  let hook: Receiver
  const source = crm()

  before(async () => {
    operator = await startReceiver()
    hook = await startReceiver()
    const webhook = { retrySeconds: Array(400).fill(0.1), breakerSeconds: 0.2, laneBlockSeconds: 0 }
    world = await startWorld(
      {
        extra: [source.plugin],
        config: { issues: { ...SETTLE, url: operator.url, secret: SECRET }, webhook },
      },
      engine,
    )
  })
  after(async () => {
    await world.stop()
    await operator.close()
    await hook.close()
  })
  afterEach(async () => {
    hook.answer(() => ({ status: 200 }))
    operator.answer(() => ({ status: 200 }))
    world.fault({ Fault: 'clear' })
    source.set()
    await eventually(() => isEven(allTold(operator)), 'everything that opened is closed', {
      progress: () => operator.deliveries.length,
    })
  })

  /** What was told from now on. */
  function since(): () => string[] {
    const before = operator.deliveries.length
    return () => allTold(operator).slice(before)
  }
  const logged = async (session: LinkedSession): Promise<Record<string, string>[]> => {
    const { data } = await session.get('/events?limit=1000&class=Issue')
    return data.Events.map(({ event }: { event: Record<string, string> }) => event)
  }
  const changes = async (session: LinkedSession): Promise<string[]> =>
    (await logged(session)).map(({ State, Cause }) => `${State} ${Cause}`)
  const unlink = ({ phone }: LinkedSession): void =>
    world.fault({
      Phone: phone.account.phone,
      Fault: 'streamError',
      Code: 401,
      Conflict: 'device_removed',
    })
  /** What is told after this came after everything before. */
  async function mark(): Promise<void> {
    const before = operator.deliveries.length
    const subject = `mark ${before}`
    source.set({ cause: 'mark', subject })
    await eventually(() => allTold(operator).includes(`opened mark ${subject}`), 'the mark is told')
  }

  it('tells the operator of an issue of the gateway when it opens and when it closes, once each', async () => {
    const seen = since()
    source.set({ level: 'warning' })
    const opened = await waitTold(operator, 'opened', 'crm-down')
    expect(opened).to.deep.equal({
      State: 'opened',
      Cause: 'crm-down',
      Level: 'warning',
      Subject: 'crm',
      Reason: 'it does not answer',
      Remedy: 'Start the CRM.',
      Request: 'GET /server/health',
      Screen: '',
      Since: '2026-01-02T00:00:00.000Z',
      Sessions: [],
      Count: 0,
      Nodes: [],
    })
    const looks = source.asked
    await eventually(() => source.asked > looks + 5, 'more looks')
    source.set()
    expect(await waitTold(operator, 'closed', 'crm-down')).to.deep.equal({ ...opened, State: 'closed' })
    await mark()
    expect(seen()).to.deep.equal(['opened crm-down crm', 'closed crm-down crm', seen().at(-1)])
  })

  it('says once that an issue opened that comes and goes, and once that it closed', async () => {
    const seen = since()
    source.onAsk((asked) => (asked % 2 === 0 ? source.set({ cause: 'flapping' }) : source.set()))
    const began = source.asked
    await eventually(() => source.asked > began + 40, 'twenty returns', { progress: () => source.asked })
    source.onAsk(() => undefined)
    source.set()
    await waitTold(operator, 'closed', 'flapping')
    await mark()
    expect(seen().slice(0, -1)).to.deep.equal(['opened flapping crm', 'closed flapping crm'])
  })

  it('logs an issue of a session as an event of it, which its webhook gets', async () => {
    const session = await world.linked(await world.phone('Unlinked'))
    await session.post('/webhook', { WebhookURL: hook.url, Subscribe: ['Issue'] })
    unlink(session)
    const opened = await waitTold(operator, 'opened', 'session-logged-out')
    expect(opened).to.include({ Count: 1, Level: 'error', Request: 'POST /session/connect' })
    expect(opened.Sessions[0]).to.include({ Name: 'Unlinked' })
    expect(await session.post('/session/connect', { Immediate: false })).to.include({ status: 200 })
    await session.phone.scan((await session.get('/session/qr')).data.QRCode)
    await waitTold(operator, 'closed', 'session-logged-out')
    const { Sessions: _, Count: __, Nodes: ___, ...event } = opened
    expect(await logged(session)).to.deep.equal([event, { ...event, State: 'closed' }])
    await hook.count(2)
    expect(hook.deliveries.map(({ body }) => JSON.parse(body).event.State)).to.deep.equal([
      'opened',
      'closed',
    ])
    expect(JSON.parse(hook.deliveries[0]?.body ?? '')).to.include({ type: 'Issue', instanceName: 'Unlinked' })
    await remove(session)
  })

  it('makes one post of sessions that fail together', async () => {
    const sessions = [
      await world.linked(await world.phone('Left')),
      await world.linked(await world.phone('Right')),
    ]
    const ids = (await world.gateway.get('/session/all', admin)).data as { Id: string; Name: string }[]
    const idOf = (name: string): string => ids.find(({ Name }) => Name === name)?.Id ?? ''
    const both = ['Left', 'Right'].map((name) => ({
      cause: 'crm-late',
      session: idOf(name),
      screenOfMany: '/',
    }))
    source.set(...both)
    const opened = await waitTold(operator, 'opened', 'crm-late')
    expect(opened).to.include({ Count: 2, Screen: '/' })
    expect(opened.Sessions.map(({ Name }) => Name).sort()).to.deep.equal(['Left', 'Right'])
    // The other one goes on.
    source.set(both[1] ?? {})
    const closed = await waitTold(operator, 'closed', 'crm-late')
    expect(closed.Sessions.map(({ Name }) => Name)).to.deep.equal(['Left'])
    expect(await changes(sessions[1] as LinkedSession)).to.deep.equal(['opened crm-late'])
    for (const session of sessions) await remove(session)
  })

  it('says that the issue of a removed session closed', async () => {
    const session = await world.linked(await world.phone('Removed'))
    const seen = since()
    unlink(session)
    await eventually(() => seen().includes('opened session-logged-out'), 'opened')
    await remove(session)
    await eventually(() => seen().includes('closed session-logged-out'), 'closed')
    const last = operator.deliveries.map(told).at(-1)
    expect(last?.Sessions[0]).to.include({ Name: 'Removed' })
  })

  it('does not deliver an issue of a webhook to the webhooks of the session, only elsewhere', async () => {
    const session = await world.linked(await world.phone('Hooked'))
    const global = await startReceiver()
    const body = { URL: global.url, Subscribe: ['Issue'] }
    const { data } = await world.gateway.post('/webhook/global', body, admin)
    await session.post('/webhook', { WebhookURL: hook.url, Subscribe: ['All'] })
    const second = { URL: `${hook.url}/second`, Subscribe: ['Issue'] }
    expect(await session.post('/webhook/endpoints', second)).to.include({ status: 200 })
    const before = hook.deliveries.length
    hook.answer(() => ({ status: 500 }))
    await (await world.phone('Ana')).send(session.phone.account.phone, { Text: 'hello' })
    expect(await waitTold(operator, 'opened', 'webhook-failing')).to.include({ Count: 1 })
    expect(await changes(session)).to.deep.equal(['opened webhook-failing'])
    hook.answer(() => ({ status: 200 }))
    await waitTold(operator, 'closed', 'webhook-failing')
    await global.count(2)
    // Ordered after both.
    await session.post('/session/disconnect')
    await hook.wait(({ body }) => body.includes('"Disconnected"'))
    const types = hook.deliveries.slice(before).map(({ body }) => JSON.parse(body).type)
    expect(types).to.include('Message')
    expect(types).to.not.include('Issue')
    await world.gateway.call('DELETE', '/webhook/global', { body: { Id: data.Id }, headers: admin })
    await global.close()
    await remove(session)
  })

  it('repeats a post that fails, and keeps the end of an issue behind its begin', async () => {
    const seen = since()
    const attempts: string[] = []
    operator.answer(({ headers }) => {
      attempts.push(`${headers['webhook-id']} ${headers['x-webhook-attempt']}`)
      return { status: attempts.length === 1 ? 503 : 200 }
    })
    source.set({ cause: 'crm-gone' })
    await eventually(() => attempts.length > 0, 'the first attempt')
    source.set()
    await waitTold(operator, 'closed', 'crm-gone')
    expect(seen()).to.deep.equal(['opened crm-gone crm', 'opened crm-gone crm', 'closed crm-gone crm'])
    const [first = '', second = ''] = attempts
    expect(second).to.equal(first.replace(/1$/, '2'))
    // The repeated one, for the check of what is open.
    operator.answer(() => ({ status: 200 }))
  })

  it('keeps the issues of a plugin open while it can not be asked', async () => {
    const seen = since()
    source.set({ cause: 'crm-slow' })
    await waitTold(operator, 'opened', 'crm-slow')
    source.fail(new Error('no connection'))
    expect(await waitTold(operator, 'opened', 'unknown')).to.include({ Reason: 'no connection' })
    const began = source.asked
    const looks = (4 * SETTLE.settleSeconds) / SETTLE.seconds
    await eventually(() => source.asked > began + looks, 'long enough', { progress: () => source.asked })
    source.fail(undefined)
    await waitTold(operator, 'closed', 'unknown')
    expect(seen()).to.deep.equal(['opened crm-slow crm', 'opened unknown crm', 'closed unknown crm'])
  })

  async function remove({ token }: LinkedSession): Promise<void> {
    const deleted = await world.gateway.post('/session/delete', { Token: token }, admin)
    expect(deleted, deleted.error).to.include({ status: 200 })
  }
}

/** Whether the last that was told of each issue is its end. */
function isEven(lines: readonly string[]): boolean {
  const last = new Map(lines.map((line) => [line.replace(/^\w+ /, ''), line.startsWith('closed')]))
  return [...last.values()].every(Boolean)
}
