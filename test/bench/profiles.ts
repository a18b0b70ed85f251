import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PROFILES } from '../../config/profiles.ts'
import { cpuOf, rssOf } from './proc.ts'
import { medianOf } from './table.ts'

/**
 * Prints what each profile costs from the start of the process until it listens: time (the best of all runs, because
 * others may be busy), time of the processor, and memory.
 */
const MAIN = 'dist/config/cli/main.js'
const RUNS = 5

interface Run {
  ms: number
  cpu: number
  megabytes: number
}

const lines = [
  `Node ${process.version}, ${cpus()[0]?.model ?? ''}, ${RUNS} starts each, SQLite, ${new Date().toISOString().slice(0, 10)}`,
  '',
  '| Profile | Plugins | Routes | Start | Processor | RSS |',
  '| --- | --- | --- | --- | --- | --- |',
]
const runs = Object.keys(PROFILES).map((profile) => ({ profile, all: [] as Run[] }))
// In turn, so that what else the machine does meets all alike.
for (let round = 0; round < RUNS; round += 1)
  for (const { profile, all } of runs) all.push(await start(profile))
for (const { profile, all } of runs) {
  const { plugins, routes } = countsOf(profile)
  const ms = Math.min(...all.map((run) => run.ms))
  const cpu = medianOf(all.map((run) => run.cpu))
  const megabytes = medianOf(all.map((run) => run.megabytes))
  const [time, work, memory] = [ms, cpu, megabytes].map((value) => value.toFixed(0))
  lines.push(`| ${profile} | ${plugins} | ${routes} | ${time} ms | ${work} ms | ${memory} MB |`)
}
process.stdout.write(`${lines.join('\n')}\n`)

async function start(profile: string): Promise<Run> {
  const dataDir = mkdtempSync(join(tmpdir(), 'wamux-profile-'))
  const began = performance.now()
  const child = spawn(process.execPath, [MAIN, 'start'], {
    env: { ...environment(profile), WAMUX_PORT: '0', WAMUX_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.includes('"gateway listening"')) continue
      const ms = performance.now() - began
      const pid = child.pid ?? 0
      return { ms, cpu: cpuOf(pid), megabytes: rssOf(pid) }
    }
    throw new Error(`profile ${profile} ended before it listened`)
  } finally {
    child.kill()
    await ended
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function countsOf(profile: string): { plugins: string; routes: string } {
  const text = execFileSync(process.execPath, [MAIN, 'check'], {
    env: environment(profile),
    encoding: 'utf8',
  })
  const [, plugins = '', routes = ''] = /^ok: (\d+) plugins, (\d+) routes$/m.exec(text) ?? []
  return { plugins, routes }
}

function environment(profile: string): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], NODE_ENV: 'production', WAMUX_PROFILE: profile }
}
