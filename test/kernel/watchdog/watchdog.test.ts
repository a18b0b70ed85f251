import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { definePlugin } from '../../../kernel/plugin.ts'
import metrics from '../../../plugins/metrics/index.ts'
import { temporaryFolder } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { ADMIN, startedGateway, type TestGateway } from '../../support/gateway.ts'

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

interface Line {
  readonly msg: string
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
