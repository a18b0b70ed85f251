import { existsSync, readFileSync } from 'node:fs'
import { access, constants, readdir, stat, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import semver from 'semver'
import { reasonOf } from '../../../kernel/errors.ts'
import type { Config } from '../../schema.ts'
import { endOfLife, RECOMMENDED_NODE } from '../node-life.ts'
import { ROOT } from '../package.ts'
import { type Finding, fail, ok, skip, warn } from './finding.ts'

const MEGABYTE = 1_000_000
/** A full disk stops all writes; SQLite's journal alone can take several of these. */
const MIN_FREE = 100 * MEGABYTE
const LOW_FREE = 1_000 * MEGABYTE

export function checkNode(version = process.versions.node, now = new Date()): Finding {
  const { engines } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as {
    engines: { node: string }
  }
  if (!semver.satisfies(version, engines.node))
    return fail('node', `${version} is too old`, `install Node.js ${engines.node}`)
  const ended = endOfLife(version, now)
  if (!ended) return ok('node', version)
  return warn(
    'node',
    `${version} has had no security fixes since ${ended}`,
    `install Node.js ${RECOMMENDED_NODE}`,
  )
}

/** Checks who may read and write the data folder and its secrets. */
export async function checkFiles(dataDir: string): Promise<Finding[]> {
  if (!existsSync(dataDir)) return [await checkParent(dataDir)]
  try {
    if (!(await stat(dataDir)).isDirectory()) return [noFolder(dataDir)]
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    const names = (await readdir(dataDir)).filter((name) =>
      /^(master-key|admin-token|wamux\.sqlite)/.test(name),
    )
    for (const name of names) await access(join(dataDir, name), constants.R_OK | constants.W_OK)
    const open: string[] = []
    for (const name of ['', ...names]) {
      const path = resolve(dataDir, name)
      if (((await stat(path)).mode & 0o077) !== 0) open.push(path)
    }
    if (open.length === 0) return [ok('files', `${resolve(dataDir)} is accessible to this user only`)]
    return [warn('files', `other users can open ${open.join(', ')}`, `chmod go= ${open.join(' ')}`)]
  } catch (error) {
    const advice = `give the user of the gateway ${resolve(dataDir)} and its files: chown -R <user> ${resolve(dataDir)}`
    return [fail('files', reasonOf(error), advice)]
  }
}

async function checkParent(dataDir: string): Promise<Finding> {
  const parent = existing(dataDir)
  if (!(await stat(parent)).isDirectory()) return noFolder(parent)
  try {
    await access(parent, constants.W_OK | constants.X_OK)
    return skip('files', `${resolve(dataDir)} is created at the first start`)
  } catch (error) {
    return fail('files', reasonOf(error), `create ${resolve(dataDir)} for the user of the gateway`)
  }
}

function noFolder(path: string): Finding {
  return fail('files', `${resolve(path)} is not a directory`, 'move that file, or set WAMUX_DATA_DIR')
}

export async function checkDisk(dataDir: string, least = MIN_FREE): Promise<Finding> {
  const { bavail, bsize } = await statfs(existing(dataDir))
  const free = bavail * bsize
  const found = `${Math.round(free / MEGABYTE)} MB free for ${resolve(dataDir)}`
  if (free < least)
    return fail('disk', found, 'free some, or move the data folder; nothing can be stored soon')
  return free < LOW_FREE ? warn('disk', found, 'free some, or lower retentionDays') : ok('disk', found)
}

/** Whether the gateway can listen, or already does. */
export async function checkPort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<Finding> {
  const place = `${host}:${port}`
  if (port === 0) return skip('port', 'a free one is chosen')
  const reason = await listenReason(host, port)
  if (!reason) return ok('port', `${place} is free`)
  if (reason !== 'EADDRINUSE') return fail('port', `${place}: ${reason}`, 'choose another host or port')
  const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const isOurs = await fetch(`http://${shown.includes(':') ? `[${shown}]` : shown}:${port}/server/ok`, {
    signal: AbortSignal.timeout(3_000),
  })
    .then(async (answer) => ((await answer.json()) as { success?: boolean }).success === true)
    .catch(() => false)
  if (isOurs) return ok('port', `a gateway answers on ${place}`)
  return fail('port', `another program uses ${place}`, 'stop it, or set WAMUX_PORT')
}

function listenReason(host: string, port: number): Promise<string> {
  return new Promise((settle) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => settle(error.code ?? error.message))
    server.listen(port, host, () => server.close(() => settle('')))
  })
}

function existing(path: string): string {
  const whole = resolve(path)
  return existsSync(whole) ? whole : existing(dirname(whole))
}
