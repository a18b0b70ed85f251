import { execFileSync, spawn } from 'node:child_process'
import { closeSync, constants, createReadStream, existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { freePort } from '../../../config/build/port.ts'
import { temporaryFolder } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { ADMIN } from '../../support/gateway.ts'
import { mainOf } from '../../support/process.ts'
import { sized } from '../../support/run/whole.ts'

/** Their lines are more than a pipe or a terminal holds. */
const REQUESTS = sized(6_000, 1_500)
/** Theirs are more than the gateway keeps as well. */
const MANY = 7_000
/** A supervisor kills the process after ten seconds. */
const STOP_MS = 10_000

type Output = number | 'pipe' | 'inherit'

interface Started {
  readonly url: string
  readonly pid: number
  /** Milliseconds of processor time until now. */
  cpu(): number
  /** Sends SIGTERM; resolves with the exit code. */
  stop(): Promise<number | string>
}

const quoted = (parts: readonly string[]): string =>
  parts.map((part) => `'${part.replaceAll("'", `'\\''`)}'`).join(' ')

/**
 * A gateway whose standard output is what `output` opens. A shell notes its process id and exit code, because `script`, whose terminal
 * nobody reads, does not end with it.
 */
async function start(output: Output, around: (command: string) => readonly string[]): Promise<Started> {
  const folder = temporaryFolder()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const notes = { pid: join(folder, 'pid'), code: join(folder, 'code') }
  const gateway = quoted([process.execPath, ...mainOf(), 'start'])
  const command = `${gateway} & echo $! > ${notes.pid}; wait $!; echo $? > ${notes.code}`
  const [program = '', ...args] = around(command)
  const child = spawn(program, args, {
    stdio: ['ignore', output, 'inherit'],
    env: {
      PATH: process.env['PATH'],
      TERM: 'xterm',
      WAMUX_ADMIN_TOKEN: ADMIN,
      WAMUX_PORT: String(port),
      WAMUX_DATA_DIR: folder,
    },
  })
  // Only its first output: from then on the pipe is full or closed.
  if (child.stdout) closers.push(() => child.stdout?.destroy())
  await eventually(
    () =>
      fetch(`${url}/server/ok`).then(
        (answer) => answer.ok,
        () => false,
      ),
    'it answers',
  )
  const pid = Number(readFileSync(notes.pid, 'utf8'))
  closers.push(() => {
    if (!existsSync(notes.code)) process.kill(pid, 'SIGKILL')
    child.kill('SIGKILL')
  })
  return {
    url,
    pid,
    cpu() {
      const [user = 0, system = 0] = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .split(' ')
        .slice(13, 15)
        .map(Number)
      return (user + system) * 10
    },
    async stop() {
      const began = Date.now()
      process.kill(pid, 'SIGTERM')
      while (Date.now() - began < STOP_MS) {
        if (existsSync(notes.code)) return Number(readFileSync(notes.code, 'utf8'))
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      return `it still runs ${STOP_MS} ms after SIGTERM`
    },
  }
}

const closers: (() => void)[] = []

/** A pipe with a name that is open for reading, and that nobody reads. */
function openFifo(): { path: string; fd: number } {
  const path = join(temporaryFolder(), 'fifo')
  execFileSync('mkfifo', [path])
  const fd = openSync(path, constants.O_RDWR)
  closers.push(() => closeSync(fd))
  return { path, fd }
}

/** Resolves with how many were answered. */
async function request(url: string, count: number): Promise<number> {
  let asked = 0
  let answered = 0
  const work = async (): Promise<void> => {
    while (asked < count) {
      asked += 1
      const { status } = await fetch(`${url}/unknown`, { signal: AbortSignal.timeout(15_000) })
      if (status === 404) answered += 1
    }
  }
  await Promise.all(Array.from({ length: 20 }, work)).catch(() => undefined)
  return answered
}

async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers: { admintoken: ADMIN } })).text()
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
}

describe('a log that nobody reads', () => {
  afterEach(() => {
    for (const close of closers.splice(0).reverse()) close()
  })
  const shell = (command: string): readonly string[] => ['/bin/sh', '-c', command]
  const kinds: Readonly<Record<string, () => Promise<Started>>> = {
    'a socket, as of a parent that does not read': () => start('pipe', shell),
    'a pipe, as of a paused pager': () => start(openFifo().fd, shell),
    'a terminal that is paused': () =>
      start(openFifo().fd, (command) => ['/usr/bin/script', '-qec', command, '/dev/null']),
  }

  for (const [kind, open] of Object.entries(kinds))
    it(`holds up neither requests nor the end of the process: ${kind}`, async function () {
      if (kind.includes('terminal') && !existsSync('/usr/bin/script')) return this.skip()
      const gateway = await open()
      expect(await request(gateway.url, REQUESTS)).to.equal(REQUESTS)
      expect(await gateway.stop()).to.equal(0)
    })

  it('drops lines, and says how many in the log, once it is read, and in a metric', async () => {
    const { path, fd } = openFifo()
    const gateway = await start(fd, shell)
    expect(await request(gateway.url, MANY)).to.equal(MANY)
    const dropped = await metric(gateway.url, 'wamux_log_lines_dropped_total')
    expect(dropped).to.be.greaterThan(100)
    const lines: { status?: number; lines?: number; msg?: string }[] = []
    const reader = createReadStream(path)
    closers.push(() => reader.destroy())
    createInterface({ input: reader }).on('line', (line) => lines.push(JSON.parse(line)))
    await eventually(() => lines.some(({ lines }) => lines !== undefined), 'the notice')
    const notices = lines.filter(({ lines }) => lines !== undefined)
    expect(notices.map(({ msg }) => msg)).to.deep.equal([
      `${notices[0]?.lines} lines of the log were dropped: nobody read it in time`,
    ])
    expect(notices[0]?.lines).to.be.within(dropped, dropped + 5)
    const kept = lines.filter(({ status }) => status === 404).length
    expect(kept + dropped).to.be.within(MANY, MANY + 5)
    expect(await gateway.stop()).to.equal(0)
    await eventually(() => lines.some(({ msg }) => msg === 'stopped'), 'the last line')
  })

  it('may be closed: the gateway answers on, at rest without work, and ends', async () => {
    const gateway = await start('pipe', shell)
    closers[0]?.()
    expect(await request(gateway.url, 500)).to.equal(500)
    const began = gateway.cpu()
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    expect(gateway.cpu() - began).to.be.below(400)
    expect(await gateway.stop()).to.equal(0)
  })
})
