import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../../config/build/port.ts'
import { type Calls, callsOf } from '../../support/calls.ts'
import { compile } from '../../support/run/build.ts'
import { startChild } from '../child.ts'
import type { Bench } from '../part.ts'
import { cpuOf } from '../proc.ts'
import type { Receiver } from '../processes/receiver.ts'
import type { Candidate, Session } from './candidate.ts'

/** The gateway as it is installed, in its own process. */
export interface Wamux extends Candidate {
  connect(session: Session): Promise<void>
  disconnect(session: Session): Promise<void>
  /** The same sessions in a new process; resolves when it answers. */
  restart(): Promise<Start>
  stop(): Promise<void>
  /** Resolves when that many sessions are logged in. */
  loggedIn(count: number): Promise<void>
  /** After a garbage collection. */
  memory(): Promise<Memory>
}

/** In megabytes. */
export interface Memory {
  heap: number
  rss: number
}

export interface Start {
  /** When the process was started, as `performance.now()` shows it. */
  began: number
  /** Milliseconds of processor time until `/server/ok` answered. */
  cpu: number
}

const MAIN = 'dist/config/cli/main.js'
const ADMIN = { admintoken: 'bench-admin-token-0123456789abcdefghij' }
const PROBE = fileURLToPath(new URL('../processes/probe.ts', import.meta.url))

/** With its default settings, log included. */
export async function startWamux(
  bench: Pick<Bench, 'network' | 'card' | 'folder' | 'profiles' | 'database'>,
  profile = 'standard',
): Promise<Wamux> {
  const dataDir = mkdtempSync(join(bench.folder, 'wamux-'))
  const [port, databaseUrl] = [await freePort(), await bench.database()]
  const url = `http://127.0.0.1:${port}`
  const env = {
    PATH: process.env['PATH'],
    NODE_ENV: 'production',
    WAMUX_PROFILE: profile,
    WAMUX_PORT: String(port),
    WAMUX_DATA_DIR: dataDir,
    WAMUX_ADMIN_TOKEN: ADMIN.admintoken,
    WAMUX_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    WAMUX_BAILEYS_NETWORK: bench.card,
    ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}),
  }
  const receiver = startChild<Receiver>('receiver')
  const webhook = await receiver.call.url()
  const calls = callsOf({ url })
  let child: ChildProcess

  async function start(): Promise<Start> {
    const began = performance.now()
    const log = openSync(join(dataDir, 'log'), 'a')
    const profiler = bench.profiles ? ['--cpu-prof', `--cpu-prof-dir=${bench.profiles}`] : []
    child = spawn(process.execPath, ['--expose-gc', ...profiler, '--import', compile(PROBE), MAIN, 'start'], {
      env,
      stdio: ['ignore', log, log, 'ipc'],
    })
    while (!(await answers(url))) {
      if (child.exitCode !== null) throw new Error(`wamux ended: see ${dataDir}/log`)
      await wait(10)
    }
    return { began, cpu: cpuOf(child.pid ?? 0) }
  }

  async function stop(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }

  await start()
  return {
    side: 'wamux',
    get pid() {
      return child.pid ?? 0
    },
    stop,
    async restart() {
      await stop()
      return start()
    },
    async end() {
      await stop()
      await receiver.end()
    },
    async link(receives = false) {
      const phone = await bench.network.call.phone()
      const session = receives ? { Webhook: webhook, Subscribe: ['Message'] } : {}
      const { data } = await succeed(calls.post('/session/init', session, ADMIN))
      const headers = { token: String(data.Token) }
      await succeed(calls.post('/session/connect', { Immediate: false }, headers))
      const qr = (await succeed(calls.get('/session/qr', headers))).data.QRCode
      await bench.network.call.scan(phone, qr)
      while ((await calls.get('/session/status', headers)).data?.LoggedIn !== true) await wait(20)
      return { phone, token: headers.token }
    },
    text: ({ token }: Session, to) => ({
      url,
      path: '/send/text',
      headers: { token },
      body: JSON.stringify({ Phone: to, Body: 'twenty-two bytes long.' }),
    }),
    connect: async ({ token }) => void (await succeed(calls.post('/session/connect', {}, { token }))),
    disconnect: async ({ token }) => void (await succeed(calls.post('/session/disconnect', {}, { token }))),
    reached: (count) => receiver.call.reached(count),
    async loggedIn(count) {
      for (;;) {
        const { data } = await succeed(calls.get('/session/all', ADMIN))
        if (data.filter((row: { LoggedIn: boolean }) => row.LoggedIn).length >= count) return
        // Rarely: each look is work of the process that is measured.
        await wait(200)
      }
    },
    async memory() {
      const answer = once(child, 'message')
      child.send({})
      return (await answer)[0] as Memory
    },
  }
}

/** A few at once, as the phones that link them keep the network busy. */
export async function linkMany(candidate: Candidate, count: number): Promise<void> {
  let left = count
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      await candidate.link()
    }
  }
  await Promise.all(Array.from({ length: 4 }, lane))
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(`${url}/server/ok`).catch(() => undefined)
  await response?.arrayBuffer()
  return response?.ok ?? false
}

async function succeed(answer: ReturnType<Calls['post']>): ReturnType<Calls['post']> {
  const result = await answer
  if (!result.success) throw new Error(result.error)
  return result
}
