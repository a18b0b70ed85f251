import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { asFunction, definePlugin, type Events } from '../../../kernel/plugin.ts'
import metrics from '../../../plugins/metrics/index.ts'
import { temporaryFolder } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { ADMIN, startedGateway, type TestGateway } from '../../support/gateway.ts'
import { admin, startWorld, type World } from '../../support/world.ts'

declare module 'wamux/plugin' {
  interface GatewaySignals {
    busySignal: { isBusy: boolean }
  }
  interface GatewayServices {
    busyEvents: Events
  }
}

const BLOCKED_MS = 200
const BUSY_MS = 1_200

function keepBusy(): void {
  const end = performance.now() + BUSY_MS
  while (performance.now() < end);
}

const probe = definePlugin({
  name: 'busy',
  version: '1.0.0',
  api: '^1.0.0',
  routes: (r) => [
    r.get('/busy/now', {
      summary: 'Blocks in its first turn',
      access: 'public',
      handle: async () => {
        keepBusy()
        return {}
      },
    }),
    r.get('/busy/later', {
      summary: 'Blocks in a later turn',
      access: 'public',
      handle: async () => {
        await pause(5)
        keepBusy()
        return {}
      },
    }),
    r.get('/busy/native', {
      summary: 'Blocks in code that is not JavaScript',
      access: 'public',
      handle: async () => {
        const text = `[${'[1],'.repeat(300_000)}1]`
        const end = performance.now() + BUSY_MS
        while (performance.now() < end) JSON.parse(text)
        return {}
      },
    }),
    r.get('/busy/behind', {
      summary: 'Has work done that blocks after its answer',
      access: 'public',
      handle: async () => {
        setTimeout(keepBusy, 20)
        return {}
      },
    }),
    r.get('/busy/waits', {
      summary: 'Takes long and blocks nothing',
      access: 'public',
      handle: async () => {
        await pause(600)
        return {}
      },
    }),
  ],
})

const ofSessions = definePlugin({
  name: 'busy-sessions',
  version: '1.0.0',
  api: '^1.0.0',
  provides: ['busyEvents'],
  services: () => ({ busyEvents: asFunction(({ events }: { events: Events }) => events).singleton() }),
  translate: {
    busySignal: () => {
      keepBusy()
      return undefined
    },
  },
  routes: (r) => [
    r.get('/busy/session', {
      summary: 'Blocks in its first turn',
      access: 'token',
      handle: async () => {
        keepBusy()
        return {}
      },
    }),
    r.get('/busy/session/later', {
      summary: 'Blocks in a later turn, unless asked by the session two',
      access: 'token',
      handle: async ({ session }) => {
        if (session.name === 'two') return {}
        await pause(300)
        keepBusy()
        return {}
      },
    }),
  ],
})

interface Line {
  readonly msg: string
  readonly session?: string
  readonly time: string
  readonly work?: string
  readonly plugin?: string
  readonly underWay: string[]
  readonly at: string[]
  readonly ms: number
}

describe('the watchdog of the event loop', () => {
  let gateway: TestGateway
  let file: string
  let output: number

  beforeEach(async () => {
    file = join(temporaryFolder(), 'output')
    output = openSync(file, 'a')
    const watchdog = { blockedMs: BLOCKED_MS, output }
    gateway = await startedGateway({ plugins: [{ plugin: probe }, { plugin: metrics }], watchdog })
  })
  afterEach(async () => {
    await gateway.stop()
    closeSync(output)
  })

  const linesOf = (text: string, msg: string): Line[] =>
    text
      .split('\n')
      .filter((line) => line.includes(`"msg":"${msg}"`))
      .map((line) => JSON.parse(line) as Line)
  const logged = (): Line[] => linesOf(gateway.lines.join('\n'), 'event loop was blocked')
  /** What the thread wrote meanwhile. */
  const written = (): Line[] => linesOf(readFileSync(file, 'utf8'), 'event loop is blocked')
  const isOfProbe = ({ work, at }: Line): boolean => Boolean(work) || /keepBusy/.test(at.join())
  const first = async (): Promise<Line> => {
    // On a busy machine the start of the gateway may block, too.
    return eventually(() => logged().find(isOfProbe), 'the line in the log')
  }

  it('names the route that blocks it, its plugin, and where, in the log and in a metric', async () => {
    await gateway.get('/busy/now')
    const line = await first()
    expect(line).to.include({ work: 'GET /busy/now', plugin: 'busy' })
    expect(line.ms).to.be.at.least(BUSY_MS - 800)
    expect(line.at[0]).to.match(/^keepBusy test\/kernel\/watchdog\/watchdog\.test\.ts:\d+:\d+$/)
    const text = await (await fetch(`${gateway.url}/metrics`, { headers: { admintoken: ADMIN } })).text()
    expect(text).to.match(/^wamux_event_loop_blocked_total\{work="GET \/busy\/now",plugin="busy"\} 1$/m)
    expect(text).to.match(
      /^wamux_event_loop_blocked_seconds_total\{work="GET \/busy\/now",plugin="busy"\} \d\.\d+$/m,
    )
  })

  it('writes a line while it is still blocked', async () => {
    const answered = gateway.get('/busy/now')
    await answered
    const end = Date.now()
    await first()
    const line = written().find(isOfProbe)
    expect(line).to.include({ work: 'GET /busy/now', plugin: 'busy' })
    expect(Date.parse(line?.time ?? '')).to.be.below(end)
    expect(line?.at[0]).to.match(/^keepBusy /)
  })

  it('names the only route under way, and where, for a later turn of its handler', async () => {
    await gateway.get('/busy/later')
    const line = await first()
    expect(line).to.include({ work: 'GET /busy/later' })
    expect(line.at.join()).to.include('keepBusy')
  })

  it('names what is under way where that is more than one route', async () => {
    await Promise.all([gateway.get('/busy/waits'), gateway.get('/busy/later')])
    const line = await first()
    expect(line.underWay).to.include.members(['GET /busy/later', 'GET /busy/waits'])
    expect(line.at.join()).to.include('keepBusy')
  })

  it('names the place of work that no request waits for', async () => {
    await gateway.get('/busy/behind')
    const line = await first()
    expect(line).not.to.have.property('work')
    expect(line.at[0]).to.match(/^keepBusy /)
  })

  it('names the route that calls code which is not JavaScript', async () => {
    await gateway.get('/busy/native')
    expect(await first()).to.include({ work: 'GET /busy/native', plugin: 'busy' })
  })

  it('says nothing of a route that only takes long', async () => {
    await gateway.get('/busy/waits')
    await gateway.get('/busy/now')
    await first()
    expect(logged().flatMap(({ work }) => work ?? [])).to.deep.equal(['GET /busy/now'])
  })
})

describe('the watchdog of the event loop, of a session', () => {
  let world: World
  let file: string
  let output: number
  const sessions: { Id: string; Token: string }[] = []

  before(async () => {
    file = join(temporaryFolder(), 'output')
    output = openSync(file, 'a')
    world = await startWorld({ watchdog: { blockedMs: BLOCKED_MS, output }, extra: [ofSessions] })
    for (const Name of ['one', 'two'])
      sessions.push((await world.gateway.post('/session/init', { Name }, admin)).data)
  })
  after(async () => {
    await world.stop()
    closeSync(output)
  })

  /** The next line about that work, in the log and as written meanwhile. */
  async function lineOf(work: string, cause: () => Promise<unknown>): Promise<Line> {
    const found = (text: string): Line[] =>
      text
        .split('\n')
        .filter((line) => /"msg":"event loop (is|was) blocked"/.test(line))
        .map((line) => JSON.parse(line) as Line)
        .filter((line) => line.work === work)
    const sources = [() => world.gateway.lines.join('\n'), () => readFileSync(file, 'utf8')]
    const before = sources.map((text) => found(text()).length)
    await cause()
    const lines = await eventually(() => {
      const fresh = sources.map((text, at) => found(text())[before[at] ?? 0])
      return fresh.every(Boolean) && fresh
    }, `two lines about ${work}`)
    expect(lines[0]?.session).to.equal(lines[1]?.session)
    return lines[0] as Line
  }
  const get = (path: string, { Token }: { Token: string }) => world.gateway.get(path, { token: Token })

  it('names the session of the request that blocks it', async () => {
    for (const session of sessions) {
      const line = await lineOf('GET /busy/session', () => get('/busy/session', session))
      expect(line).to.include({ plugin: 'busy-sessions', session: session.Id })
    }
  })

  it('names it in a later turn, also where another session asked since', async () => {
    const [one, two] = sessions as [{ Id: string; Token: string }, { Id: string; Token: string }]
    const line = await lineOf('GET /busy/session/later', async () => {
      const slow = get('/busy/session/later', one)
      await get('/busy/session/later', two)
      await slow
    })
    expect(line).to.include({ session: one.Id })
  })

  it('names the session whose signal blocks it', async () => {
    const { Id } = sessions[1] as { Id: string }
    const { raise } = world.gateway.service('busyEvents')
    const line = await lineOf('translate busySignal', () => raise(Id, 'busySignal', { isBusy: true }))
    expect(line).to.include({ plugin: 'busy-sessions', session: Id })
  })
})
