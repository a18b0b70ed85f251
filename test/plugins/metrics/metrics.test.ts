import { expect } from 'chai'
import { definePlugin } from '../../../kernel/plugin.ts'
import metrics from '../../../plugins/metrics/index.ts'
import server from '../../../plugins/server/index.ts'
import { eventually } from '../../support/eventually.ts'
import { ADMIN, startedGateway, testGateway } from '../../support/gateway.ts'
import { type Metrics, parseMetrics, readMetrics } from '../../support/metrics.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { admin, openShop, type Shop } from '../../support/world.ts'

const TOKEN = 'a-token-of-its-own'

describe('who may read /metrics', () => {
  const statusFor = async (config: Record<string, unknown>, headers: Record<string, string>, query = '') => {
    const gateway = await startedGateway({ plugins: [{ plugin: metrics, config }] })
    const { status } = await fetch(`${gateway.url}/metrics${query}`, { headers })
    await gateway.stop()
    return status
  }
  const calls: [config: Record<string, unknown>, headers: Record<string, string>, status: number][] = [
    [{}, {}, 401],
    [{}, { admintoken: 'wrong' }, 401],
    [{}, { admintoken: ADMIN }, 200],
    [{ access: 'open' }, {}, 200],
    [{ access: 'token', token: TOKEN }, {}, 401],
    [{ access: 'token', token: TOKEN }, { admintoken: ADMIN }, 401],
    [{ access: 'token', token: TOKEN }, { authorization: `Bearer ${TOKEN}x` }, 401],
    [{ access: 'token', token: TOKEN }, { authorization: `Bearer ${TOKEN}` }, 200],
  ]
  for (const [config, headers, status] of calls)
    it(`with ${JSON.stringify(config)} ${JSON.stringify(headers)} answers ${status}`, async () => {
      expect(await statusFor(config, headers)).to.equal(status)
    })

  it('takes no admin token in the query, which proxies log', async () => {
    expect(await statusFor({}, {}, `?admintoken=${ADMIN}`)).to.equal(401)
  })

  it('does not start with access token and no token, or a short one', () => {
    const withConfig = (config: Record<string, unknown>) => () =>
      testGateway({ plugins: [{ plugin: metrics, config }] })
    expect(withConfig({ access: 'token' })).to.throw(/with access "token", the setting "token" is missing/)
    expect(withConfig({ access: 'token', token: 'short' })).to.throw(/token/)
  })
})

describe('metrics of plugins', () => {
  const given = (collect: () => number) =>
    definePlugin({
      name: 'crm',
      version: '1.0.0',
      api: '^1.0.0',
      contributes: { metrics: () => ({ crm_calls_total: { type: 'counter', help: 'Calls', collect } }) },
    })

  it('of any plugin are shown, and read only when somebody asks', async () => {
    let reads = 0
    const plugin = given(() => {
      reads += 1
      return 41 + reads
    })
    const gateway = await startedGateway({ plugins: [{ plugin: metrics }, { plugin }] })
    expect(reads).to.equal(0)
    const shown = await readMetrics(gateway.url, admin)
    expect(shown.value('crm_calls_total')).to.equal(42)
    expect(shown.types.get('crm_calls_total')).to.equal('counter')
    expect(shown.value('wamux_metrics_unread')).to.equal(0)
    expect(reads).to.equal(1)
    await gateway.stop()
  })

  it('that can not be read, or do not answer, are left out, and counted', async () => {
    const failing = given(() => {
      throw new Error('the CRM is away')
    })
    const hanging = definePlugin({
      name: 'erp',
      version: '1.0.0',
      api: '^1.0.0',
      contributes: {
        metrics: () => ({
          erp_calls: { type: 'gauge', help: 'x', collect: () => new Promise(() => undefined) },
        }),
      },
    })
    const plugins = [{ plugin: metrics }, { plugin: failing }, { plugin: hanging }]
    const gateway = await startedGateway({ plugins })
    const shown = await readMetrics(gateway.url, admin)
    expect(shown.value('wamux_metrics_unread')).to.equal(2)
    expect(shown.value('wamux_build_info', { version: '0.0.0-test' })).to.equal(1)
    expect(shown.all.filter(({ name }) => /^(crm|erp)_/.test(name))).to.deep.equal([])
    expect(gateway.lines.filter((line) => line.includes('metric could not be read'))).to.have.length(2)
    await gateway.stop()
  })

  it('without the plugin metrics are never read', async () => {
    const plugin = given(() => {
      throw new Error('read')
    })
    const gateway = await startedGateway({ plugins: [{ plugin }, { plugin: server }] })
    expect(await gateway.get('/metrics', admin)).to.include({ status: 404 })
    await gateway.stop()
    expect(gateway.lines.join()).to.not.include('metric')
  })
})

describe('metrics of a gateway at work', () => {
  let shop: Shop
  let receiver: Receiver
  before(async () => {
    receiver = await startReceiver()
    shop = await openShop({ config: { pacing: {}, webhook: { retrySeconds: [0.05], breakerFailures: 3 } } })
    await shop.session.post('/webhook', { WebhookURL: receiver.url })
  })
  after(async () => {
    await shop.world.stop()
    await receiver.close()
  })

  const read = (): Promise<Metrics> => readMetrics(shop.world.gateway.url, admin)
  const shows = (wanted: (shown: Metrics) => boolean, what: string): Promise<unknown> =>
    eventually(async () => wanted(await read()), what)

  it('count sends by outcome', async () => {
    const { session, ana, world } = shop
    const before = await read()
    await session.post('/send/text', { Phone: ana.account.phone, Body: 'x' })
    world.fault({ Phone: session.phone.account.phone, Fault: 'refuse', Code: 463, Count: 1 })
    const stranger = { Phone: (await world.phone('Bea')).account.phone, Body: 'x' }
    await session.post('/send/text', stranger)
    world.fault({ Phone: session.phone.account.phone, Fault: 'timelock', Ms: 60_000 })
    await session.post('/send/text', stranger)
    world.fault({ Phone: session.phone.account.phone, Fault: 'clear' })
    const after = await read()
    const delta = (name: string, labels = {}) =>
      (after.value(name, labels) ?? 0) - (before.value(name, labels) ?? 0)
    expect(delta('wamux_sends_total', { outcome: 'acked' })).to.equal(1)
    expect(delta('wamux_sends_total', { outcome: 'refused' })).to.equal(2)
    expect(delta('wamux_sends_restricted_total')).to.equal(1)
    expect(delta('wamux_sends_token_missing_total')).to.equal(1)
    expect(after.value('wamux_outbox_messages')).to.equal(0)
  })

  it('count receives, and what could not be decrypted', async () => {
    const { session, ana, world } = shop
    const before = (await read()).value('wamux_receives_total') ?? 0
    await ana.send(session.phone.account.phone, { Text: 'hello' })
    await shows((shown) => (shown.value('wamux_receives_total') ?? 0) > before, 'one received')
    world.fault({ Phone: session.phone.account.phone, Fault: 'garble', Count: 1 })
    await ana.send(session.phone.account.phone, { Text: 'spoilt' })
    await shows((shown) => (shown.value('wamux_undecryptable_total') ?? 0) > 0, 'one undecryptable')
  })

  it('show sessions by state, and how old the last stanza is', async () => {
    const shown = await read()
    expect(shown.value('wamux_sessions', { state: 'open' })).to.equal(1)
    expect(shown.value('wamux_sessions', { state: 'banned' })).to.equal(0)
    const [row] = (await shop.world.gateway.get('/session/all', admin)).data
    const age = shown.value('wamux_session_last_stanza_age_seconds', { session: row.Id })
    expect(age).to.be.within(0, 60)
  })

  it('show deliveries, lag and backlog of a host, and its circuit breaker', async () => {
    const host = new URL(receiver.url).origin
    const labels = { host }
    await shows(
      (shown) =>
        (shown.value('wamux_webhook_attempts_total', { host, outcome: 'delivered' }) ?? 0) > 0 &&
        (shown.value('wamux_webhook_lag_seconds_total', labels) ?? 0) > 0 &&
        shown.value('wamux_webhook_breaker_state', labels) === 0,
      'delivered',
    )
    receiver.answer(() => ({ status: 500 }))
    for (const text of ['1', '2', '3', '4', '5'])
      await shop.session.post('/send/text', { Phone: shop.ana.account.phone, Body: text })
    await shows(
      (shown) =>
        shown.value('wamux_webhook_breaker_state', labels) === 2 &&
        (shown.value('wamux_webhook_attempts_total', { host, outcome: 'failed' }) ?? 0) > 0 &&
        (shown.value('wamux_webhook_pending', labels) ?? 0) > 0 &&
        (shown.value('wamux_webhook_oldest_pending_seconds', labels) ?? 0) > 0,
      'the breaker open',
    )
  })

  it('show commits, consumers, checks and the process', async () => {
    const shown = await read()
    const commits = shown.value('wamux_commit_seconds_count') ?? 0
    expect(commits).to.be.greaterThan(0)
    expect(shown.value('wamux_commit_seconds_bucket', { le: '+Inf' })).to.equal(commits)
    expect(shown.value('wamux_commit_seconds_sum')).to.be.greaterThan(0)
    expect(shown.types.get('wamux_commit_seconds')).to.equal('histogram')
    await shows((one) => one.value('wamux_consumer_lag_events', { consumer: 'webhook' }) === 0, 'consumed')
    for (const check of ['database', 'disk', 'driver'])
      expect(shown.value('wamux_check', { check })).to.equal(1)
    for (const name of ['nodejs_heap_size_used_bytes', 'process_resident_memory_bytes'])
      expect(shown.value(name), name).to.be.greaterThan(1e6)
    await shows((one) => (one.value('nodejs_eventloop_lag_max_seconds') ?? 0) > 0, 'the loop measured')
  })

  it('name no number, no token and no path of a webhook', async () => {
    const text = await (await fetch(`${shop.world.gateway.url}/metrics`, { headers: admin })).text()
    for (const secret of [
      shop.session.phone.account.phone,
      shop.ana.account.phone,
      shop.session.token,
      '/hook',
    ])
      expect(text).to.not.include(secret)
    expect(() => parseMetrics('nonsense here too')).to.throw(/not a series/)
  })
})
