import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import knex, { type Knex } from 'knex'
import { freePort } from '../../config/build/port.ts'
import { startPostgresProxy } from './postgres-proxy.ts'

/** A storage that can be made to fail. */
export interface Trouble {
  /** Where the gateway finds it: PostgreSQL, or SQLite's folder. */
  readonly url?: string
  readonly dataDir?: string
  /** PostgreSQL without the trouble, to look at in the end. */
  readonly direct?: string
  /** Makes it fail once, in a way and for a time that `random` decides, and work again. Resolves with what it was. */
  strike(random: () => number, pid: number): Promise<string>
  end(): Promise<void>
}

let count = 0

/** A database of its own on the given server. */
async function freshDatabase(server: string): Promise<{ url: string; admin: Knex; drop(): Promise<void> }> {
  count += 1
  const name = `wamux_storage_${process.pid}_${count}`
  const admin = knex({ client: 'pg', connection: server, pool: { min: 0, max: 2 } })
  await admin.raw('CREATE DATABASE ??', [name])
  const url = new URL(server)
  url.pathname = `/${name}`
  return {
    url: url.toString(),
    admin,
    async drop() {
      await admin.raw('DROP DATABASE IF EXISTS ?? WITH (FORCE)', [name])
      await admin.destroy()
    },
  }
}

/** A network between gateway and PostgreSQL that cuts, delays and refuses. */
export async function badNetwork(server: string): Promise<Trouble> {
  const { url, drop } = await freshDatabase(server)
  const proxy = await startPostgresProxy(url)
  return {
    url: proxy.url,
    direct: url,
    async strike(random) {
      await pause(200 + random() * 1_500)
      const ms = Math.round(random() * 1_500)
      const kind = Math.floor(random() * 4)
      if (kind === 0) {
        proxy.cut()
        return 'connections reset'
      }
      if (kind === 1) {
        const bytes = Math.round(random() * 400)
        proxy.cutAfter(bytes)
        return `connections reset after ${bytes} bytes`
      }
      if (kind === 2) {
        proxy.delay(ms)
        await pause(ms)
        proxy.delay(0)
        return `delayed by ${ms} ms`
      }
      proxy.refuse(true)
      proxy.cut()
      await pause(ms)
      proxy.refuse(false)
      return `refused for ${ms} ms`
    },
    async end() {
      await proxy.close()
      await drop()
    },
  }
}

/** A server whose administrator terminates the gateway's connections. */
export async function terminatedConnections(server: string): Promise<Trouble> {
  const { url, admin, drop } = await freshDatabase(server)
  const name = new URL(url).pathname.slice(1)
  return {
    url,
    direct: url,
    async strike(random) {
      await pause(500 + random() * 2_000)
      const { rows } = await admin.raw(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ?',
        [name],
      )
      return `${rows.length} connections terminated`
    },
    end: drop,
  }
}

/** The folder of PostgreSQL's own programs; undefined where there is none that can be run here. */
export function postgresPrograms(): string | undefined {
  if (process.getuid?.() !== 0) return undefined
  try {
    return execFileSync('sh', ['-c', 'ls -d /usr/lib/postgresql/*/bin | tail -1'], {
      encoding: 'utf8',
    }).trim()
  } catch {
    return undefined
  }
}

/** A server of its own, stopped fast or at once, and started again. */
export async function restartedServer(programs: string): Promise<Trouble> {
  const folder = mkdtempSync(join(tmpdir(), 'wamux-postgres-'))
  const data = join(folder, 'data')
  const port = await freePort()
  // Its programs refuse to run as root.
  chmodSync(folder, 0o777)
  const run = (program: string, ...args: string[]): void => {
    execFileSync('runuser', ['-u', 'postgres', '--', join(programs, program), ...args], {
      stdio: 'ignore',
      cwd: folder,
    })
  }
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c fsync=off`
  const start = (): void => run('pg_ctl', '-D', data, '-w', '-l', join(folder, 'log'), '-o', options, 'start')
  const stop = (mode: string): void => run('pg_ctl', '-D', data, '-w', '-m', mode, 'stop')
  run('initdb', '-D', data, '-A', 'trust', '-U', 'postgres')
  start()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  return {
    url,
    direct: url,
    async strike(random) {
      await pause(2_000 + random() * 3_000)
      const mode = random() < 0.5 ? 'fast' : 'immediate'
      stop(mode)
      await pause(random() * 1_500)
      start()
      return `restarted (${mode})`
    },
    async end() {
      stop('immediate')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** SQLite on a file system that fills and empties, with space for hours of traffic; undefined where none can be mounted. */
export function fullDisk(): Trouble | undefined {
  const dataDir = mkdtempSync(join(tmpdir(), 'wamux-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512m', 'tmpfs', dataDir], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  const filler = join(dataDir, 'filler')
  return {
    dataDir,
    async strike(random) {
      await pause(500 + random() * 2_000)
      fill(filler)
      const ms = Math.round(random() * 2_000)
      await pause(ms)
      rmSync(filler)
      return `full for ${ms} ms`
    },
    async end() {
      execFileSync('umount', ['-l', dataDir])
    },
  }
}

/** Takes all the space there is. */
export function fill(file: string): void {
  const filler = openSync(file, 'w')
  for (const size of [2 ** 20, 4096]) {
    const piece = Buffer.alloc(size)
    try {
      for (;;) writeSync(filler, piece)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }
  closeSync(filler)
}

/** SQLite on a disk whose reads and writes fail with EIO; undefined where no process can be traced. */
export function failingDisk(dataDir: string): Trouble | undefined {
  try {
    execFileSync('strace', ['-o', '/dev/null', 'true'], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  return {
    dataDir,
    async strike(random, pid) {
      await pause(500 + random() * 1_500)
      const calls = random() < 0.5 ? 'pread64' : 'fdatasync,fsync,pwrite64'
      const every = 1 + Math.floor(random() * 5)
      const ms = Math.round(300 + random() * 1_500)
      const end = await injectErrors(pid, calls, `when=${1 + Math.floor(random() * 20)}+${every}`)
      await pause(ms)
      await end()
      return `EIO on each ${every}. ${calls} for ${ms} ms`
    },
    end: async () => undefined,
  }
}

/** Makes system calls of a process fail with EIO until what it resolves with is called. */
export async function injectErrors(pid: number, calls: string, when?: string): Promise<() => Promise<void>> {
  const inject = `inject=${calls}:error=EIO${when ? `:${when}` : ''}`
  const args = ['-f', '-p', String(pid), '-e', `trace=${calls}`, '-e', inject]
  const strace = spawn('strace', ['-o', '/dev/null', ...args], { stdio: 'ignore' })
  await once(strace, 'spawn')
  return async () => {
    strace.kill('SIGINT')
    await once(strace, 'exit')
  }
}
