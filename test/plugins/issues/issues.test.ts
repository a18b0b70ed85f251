import { execFileSync } from 'node:child_process'
import { rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { definePlugin } from '../../../kernel/plugin.ts'
import pacing from '../../../plugins/pacing/index.ts'
import { eventually } from '../../support/eventually.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { admin, type LinkedSession, sessionOf, startWorld, type World } from '../../support/world.ts'
import { keysProbe } from '../keys/probe.ts'

interface Issue {
  Cause: string
  Level: string
  Subject: string
  Reason: string
  Remedy: string
  Request: string
  Screen: string
  Since: string
  Waiting: number
  Sessions: { Id: string; Name: string }[]
  Count: number
  Nodes: string[]
}

/** A little more than the disk has, so that a large file makes it scarce. */
const FILE_BYTES = 1_073_741_824
const { bavail, bsize } = statfsSync(tmpdir())
const minFreeBytes = Math.floor((bavail * bsize - FILE_BYTES / 2) / 4)

describe('GET /issues', () => {
  let world: World
  let receiver: Receiver
  const began = Date.now()
  let crm: string | undefined
  const plugin = definePlugin({
    name: 'crm',
    version: '1.0.0',
    api: '^1.0.0',
    contributes: { healthChecks: () => ({ crm: { check: async () => crm } }) },
  })

  before(async () => {
    receiver = await startReceiver()
    world = await startWorld({
      extra: [pacing, plugin, keysProbe],
      config: {
        server: { minFreeBytes },
        pacing: { holdMs: 600_000 },
        webhook: {
          retrySeconds: Array(400).fill(0.1),
          lateSeconds: 1,
          laneBlockSeconds: 0,
          breakerSeconds: 0.2,
        },
      },
    })
  })
  after(async () => {
    await world.stop()
    await receiver.close()
  })
  beforeEach(async () => expect(await issues()).to.deep.equal([]))
  afterEach(() => {
    world.fault({ Fault: 'clear' })
    receiver.answer(() => ({ status: 200 }))
  })

  async function issues(headers: Record<string, string> = admin): Promise<Issue[]> {
    const { data, error } = await world.gateway.get('/issues', headers)
    expect(data?.Unanswered, error).to.deep.equal([])
    return data.Issues
  }
  /** The only issue, once it has the cause: a line in full, with a way to mend it. */
  async function opened(cause: string, { isNew = true } = {}): Promise<Issue> {
    const found = await eventually(async () => {
      const all = await issues()
      return all.find(({ Cause }) => Cause === cause) && all
    }, `${cause} is open`)
    expect(found.map(({ Cause }) => Cause)).to.deep.equal([cause])
    const [issue] = found as [Issue]
    expect(issue.Reason).to.match(/\S/)
    expect(issue.Remedy).to.match(/\S/)
    expect(issue.Screen).to.match(/^\//)
    if (issue.Request) expect(routes()).to.include(issue.Request)
    expect(Date.parse(issue.Since)).to.be.within(isNew ? began : 1, Date.now())
    expect(issue.Nodes).to.deep.equal([])
    return issue
  }
  const ended = () => eventually(async () => (await issues()).length === 0, 'no issue is open')
  const routes = () =>
    world.gateway
      .describe()
      .plugins.flatMap((one) => one.routes.map(({ method, path }) => `${method} ${path}`))
  const shop = async (name: string): Promise<LinkedSession> => world.linked(await world.phone(name))
  const cut = (session: LinkedSession, fault: Record<string, unknown>): void =>
    world.fault({ Phone: session.phone.account.phone, ...fault })
  const failLogin = (session: LinkedSession, fault: Record<string, unknown>): void => {
    cut(session, { Fault: 'failure', Count: 1, ...fault })
    cut(session, { Fault: 'drop' })
  }
  const remove = async ({ token }: LinkedSession): Promise<void> => {
    const deleted = await world.gateway.post('/session/delete', { Token: token }, admin)
    expect(deleted, deleted.error).to.include({ status: 200 })
  }
  /** WhatsApp lets it start no new chats, and it has noticed. */
  async function restrict(session: LinkedSession): Promise<void> {
    cut(session, { Fault: 'timelock' })
    const Phone = (await world.phone('Stranger')).account.phone
    expect(await session.post('/send/text', { Phone, Body: 'new' })).to.include({ status: 429 })
  }
  async function say(to: LinkedSession, texts: readonly string[]): Promise<void> {
    const ana = await world.phone('Ana')
    for (const Text of texts) await ana.send(to.phone.account.phone, { Text })
  }

  it('names a session that its phone has unlinked, until it is linked again', async () => {
    const session = await shop('Unlinked')
    cut(session, { Fault: 'streamError', Code: 401, Conflict: 'device_removed' })
    const issue = await opened('session-logged-out')
    expect(issue).to.include({ Level: 'error', Count: 1, Request: 'POST /session/connect' })
    expect(issue.Sessions[0]).to.include({ Name: 'Unlinked' })
    expect(issue.Screen).to.equal(`/link/${issue.Sessions[0]?.Id}`)
    expect(await session.post('/session/connect', { Immediate: false })).to.include({ status: 200 })
    await session.phone.scan((await session.get('/session/qr')).data.QRCode)
    await ended()
    await remove(session)
  })

  it('makes one line of several sessions with the same cause', async () => {
    const sessions = [await shop('Left'), await shop('Right')]
    for (const session of sessions) cut(session, { Fault: 'streamError', Conflict: 'replaced' })
    await eventually(async () => (await issues())[0]?.Count === 2, 'both')
    const issue = await opened('session-replaced')
    expect(issue.Sessions.map(({ Name }) => Name).sort()).to.deep.equal(['Left', 'Right'])
    expect(issue.Screen).to.equal('/?state=replaced')
    for (const session of sessions) await session.post('/session/connect')
    await ended()
    for (const session of sessions) await remove(session)
  })

  it('does not name a session whose logout was requested', async () => {
    const session = await shop('Leaving')
    expect(await session.post('/session/logout')).to.include({ status: 200 })
    await session.status({ LoggedIn: false })
    expect(await issues()).to.deep.equal([])
    await remove(session)
  })

  const refusals: [cause: string, fault: Record<string, unknown>, remedy: RegExp][] = [
    ['session-banned', { Code: 403 }, /Open WhatsApp on the phone/],
    ['session-outdated', { Code: 409 }, /newer version of wamux/],
    [
      'session-temporary-ban',
      { Code: 402, Attrs: { code: '101', expire: '3' } },
      /banned the account for a while/,
    ],
  ]
  for (const [cause, fault, remedy] of refusals)
    it(`names a session that the network refuses: ${cause}`, async () => {
      const session = await shop('Refused')
      failLogin(session, fault)
      expect((await opened(cause)).Remedy).to.match(remedy)
      if (cause === 'session-temporary-ban') await session.status({ State: 'open' })
      else await session.post('/session/connect')
      await ended()
      await remove(session)
    })

  it('names a session that has met a server with a forged certificate, until it is connected again', async () => {
    const session = await shop('Deceived')
    world.fault({ Fault: 'badCertificate' })
    cut(session, { Fault: 'drop' })
    const issue = await opened('session-failed')
    expect(issue).to.include({ Level: 'error', Count: 1, Request: 'POST /session/connect' })
    expect(issue.Screen).to.equal(`/sessions/${issue.Sessions[0]?.Id}`)
    world.fault({ Fault: 'clear' })
    expect(await session.post('/session/connect')).to.include({ status: 200 })
    await ended()
    await remove(session)
  })

  it('names a session that waits for a passkey, and then for the comparison of codes', async () => {
    world.fault({ Fault: 'passkey' })
    const { data } = await world.gateway.post('/session/init', { Name: 'Key' }, admin)
    const session = sessionOf(world.gateway, String(data.Token), await world.phone('Key'))
    await session.post('/session/connect', { Immediate: false })
    const linked = session.phone.scan((await session.get('/session/qr')).data.QRCode)
    expect((await opened('session-passkey')).Request).to.equal('POST /session/passkey')
    const { Challenge } = (await session.get('/session/passkey')).data
    await session.post('/session/passkey', session.phone.passkey.sign(Challenge))
    await opened('session-passkey-confirm')
    session.phone.passkey.compare((await session.get('/session/passkey')).data.Code)
    await session.post('/session/passkey/confirm', {})
    await linked
    await ended()
    await remove(session)
  })

  it('names a session that may start no new chats, until the restriction is lifted', async () => {
    const session = await shop('Loud')
    await restrict(session)
    expect(await opened('session-restricted')).to.include({ Level: 'warning' })
    world.fault({ Fault: 'clear' })
    await ended()
    await remove(session)
  })

  it('names a webhook that fails, with what waits, until it accepts', async () => {
    const session = await shop('Hooked')
    await session.post('/webhook', { WebhookURL: `${receiver.url}?secret=s3cret`, Subscribe: ['Message'] })
    receiver.answer(() => ({ status: 401 }))
    await say(session, ['one', 'two', 'three'])
    await eventually(async () => (await issues())[0]?.Waiting === 3, 'three wait')
    const issue = await opened('webhook-failing')
    expect(issue).to.include({ Level: 'error', Subject: new URL(receiver.url).host, Waiting: 3, Count: 1 })
    expect(issue.Reason).to.equal('status 401')
    expect(issue.Screen).to.equal(`/deliveries?session=${issue.Sessions[0]?.Id}&endpoint=main`)
    expect(JSON.stringify(issue)).to.not.include('s3cret')
    receiver.answer(() => ({ status: 200 }))
    await ended()
    await remove(session)
  })

  it('names a webhook that answered 410, until it is set or removed', async () => {
    const session = await shop('Gone')
    const set = (WebhookURL: string) => session.post('/webhook', { WebhookURL, Subscribe: ['Message'] })
    for (const mended of [receiver.url, '']) {
      await set(receiver.url)
      receiver.answer(() => ({ status: 410 }))
      await say(session, ['gone'])
      expect(await opened('webhook-gone')).to.include({ Request: 'POST /webhook' })
      receiver.answer(() => ({ status: 200 }))
      await set(mended)
      await ended()
    }
    await remove(session)
  })

  it('names a webhook that falls behind, until its oldest event is delivered', async () => {
    const session = await shop('Slow')
    await session.post('/webhook', { WebhookURL: receiver.url, Subscribe: ['Message'] })
    let go = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    receiver.answer(() => gate.then(() => ({ status: 200 })))
    await say(session, ['slow'])
    expect(await opened('webhook-late')).to.include({ Level: 'warning', Waiting: 1, Request: '' })
    go()
    await ended()
    await remove(session)
  })

  it('names a key that is about to expire, and one that has while it was in use, until they are revoked', async () => {
    const body = { Name: 'shop system', Scopes: ['read'], AllSessions: true, ExpiresIn: 86_400 }
    const { data } = await world.gateway.post('/keys', body, admin)
    const { Id, Key } = data
    // Its last day begins with no issue: a day is all that it has.
    expect(await issues()).to.deep.equal([])
    const { db } = world.gateway.service('keysProbe')
    const age = (change: object) => db.transact((trx) => trx('keys_keys').where({ id: Id }).update(change))
    await age({
      created_at: Date.now() - 86_400_000,
      expires_at: Date.now() + 3_600_000,
      changed_at: Date.now() + 1,
    })
    expect(await world.gateway.get('/session/summary', { token: Key })).to.include({ status: 200 })
    const issue = await opened('key-expiring', { isNew: false })
    expect(issue).to.include({
      Level: 'warning',
      Subject: 'shop system',
      Request: 'POST /keys',
      Screen: '/keys',
    })
    expect(JSON.stringify(issue)).to.not.include(Key)
    await age({ expires_at: Date.now() - 1, changed_at: Date.now() + 2 })
    expect(await opened('key-expired')).to.include({ Level: 'error', Subject: 'shop system' })
    expect(await world.gateway.call('DELETE', `/keys/${Id}`, { headers: admin })).to.include({ status: 200 })
    await ended()
  })

  it('names a check that fails, while it fails', async () => {
    crm = 'the CRM is away'
    const issue = await opened('check-failing')
    expect(issue).to.include({ Subject: 'crm', Reason: 'the CRM is away', Screen: '/health', Count: 0 })
    crm = undefined
    await ended()
  })

  it('names a disk that is nearly full, until there is space', async () => {
    const file = join(tmpdir(), `wamux-disk-${process.pid}`)
    execFileSync('fallocate', ['-l', String(FILE_BYTES), file])
    expect(await opened('disk-nearly-full')).to.include({ Level: 'warning', Subject: 'disk' })
    rmSync(file)
    await ended()
  })

  it('puts errors before warnings, and the oldest first', async () => {
    const session = await shop('Loud')
    await restrict(session)
    crm = 'away'
    const lost = await shop('Lost')
    const causes = async () => (await issues()).map(({ Cause }) => Cause)
    await eventually(async () => (await causes()).length === 2, 'two')
    cut(lost, { Fault: 'streamError', Code: 401, Conflict: 'device_removed' })
    await eventually(async () => (await causes()).length === 3, 'three')
    expect(await causes()).to.deep.equal(['check-failing', 'session-logged-out', 'session-restricted'])
    crm = undefined
    for (const one of [session, lost]) await remove(one)
    await ended()
  })

  it('shows the issues of its sessions to a token and to a key, and those of the gateway to operators', async () => {
    const [mine, other] = [await shop('Mine'), await shop('Other')]
    for (const session of [mine, other]) cut(session, { Fault: 'streamError', Conflict: 'replaced' })
    crm = 'away'
    await eventually(async () => (await issues()).some(({ Count }) => Count === 2), 'both')
    const { Issues } = (await mine.get('/issues')).data
    expect(Issues).to.have.length(1)
    expect(Issues[0]).to.include({ Cause: 'session-replaced', Count: 1 })
    expect(Issues[0].Sessions[0]).to.include({ Name: 'Mine' })

    const keyOf = async (body: Record<string, unknown>) => {
      const { data } = await world.gateway.post('/keys', { Name: 'k', ...body }, admin)
      return { token: data.Key as string, id: data.Id as string }
    }
    const limited = await keyOf({ Scopes: ['read'], Sessions: ['Other'] })
    const shown = await issues({ token: limited.token })
    expect(shown.map(({ Cause, Sessions }) => [Cause, Sessions.map(({ Name }) => Name)])).to.deep.equal([
      ['session-replaced', ['Other']],
    ])
    const reader = await keyOf({ Scopes: ['read'], AllSessions: true })
    expect((await issues({ token: reader.token })).map(({ Cause, Count }) => [Cause, Count])).to.deep.equal([
      ['session-replaced', 2],
    ])
    const operator = await keyOf({ Scopes: ['read', 'admin'], AllSessions: true })
    const causes = async () => (await issues({ token: operator.token })).map(({ Cause }) => Cause).sort()
    await eventually(async () => (await causes()).join() === 'check-failing,session-replaced', 'both causes')
    const sender = await keyOf({ Scopes: ['send'], AllSessions: true })
    expect(await world.gateway.get('/issues', { token: sender.token })).to.include({ status: 403 })
    expect(await world.gateway.get('/issues')).to.include({ status: 401 })
    crm = undefined
    for (const session of [mine, other]) await remove(session)
    await ended()
  })

  it('says which plugin could not be asked', async () => {
    const broken = definePlugin({
      name: 'broken',
      version: '1.0.0',
      api: '^1.0.0',
      contributes: { issues: () => ({ list: () => Promise.reject(new Error('no connection')) }) },
    })
    const other = await startWorld({ extra: [broken] })
    const { data } = await other.gateway.get('/issues', admin)
    expect(data.Issues).to.have.length(1)
    expect(data.Issues[0]).to.include({
      Cause: 'unknown',
      Subject: 'broken',
      Reason: 'no connection',
      Since: '',
    })
    await other.stop()
  })
})
