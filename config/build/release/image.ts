/**
 * `npm run image` runs a built image with podman (or `--engine docker`) as config/deploy says, and prints what it sees: size, user,
 * a read-only root file system, the health check, a kill and a restart on the same volume, an orderly stop, and three nodes of
 * compose/cluster.yaml with the node of a session killed. `--tag` names the image.
 */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from '../port.ts'

const MOST_BYTES = 250e6
const WAIT_MS = 180_000

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'podman' },
    tag: { type: 'string', default: 'wamux:0.1.0-slim' },
    only: { type: 'string' },
  },
})
const { engine, tag } = values

if (values.only !== 'cluster') await runOne()
if (values.only !== 'one') await runCluster()

async function runOne(): Promise<void> {
  const [size = '0', user, health] = containerSays(
    'image',
    'inspect',
    '--format',
    '{{.Size}}|{{.Config.User}}|{{if .HealthCheck}}{{.HealthCheck.Test}}{{end}}',
    tag,
  ).split('|')
  report(`size: ${(Number(size) / 1e6).toFixed(0)} MB; user: ${user}; health check: ${health ? 'yes' : 'no'}`)
  check(!tag.includes('slim') || Number(size) < MOST_BYTES, `it is larger than ${MOST_BYTES / 1e6} MB`)
  const name = `wamux-image-${process.pid}`
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const guards = [
    '--read-only',
    '--tmpfs',
    '/tmp',
    '--cap-drop',
    'ALL',
    '--security-opt',
    'no-new-privileges',
  ]
  containerSays('volume', 'create', name)
  try {
    const place = ['-v', `${name}:/data`, '-p', `127.0.0.1:${port}:8080`]
    containerSays('run', '-d', '--name', name, ...guards, ...place, tag)
    report(`run ${guards.join(' ')}: answers after ${await answers(`${base}/server/ok`)}`)
    const uid = inside(name, 'process.getuid()')
    const writable = inside(
      name,
      "try { fs.writeFileSync('/app/x', ''); 'written' } catch (error) { error.code }",
    )
    report(`inside: uid ${uid}; a write to /app: ${writable}`)
    check(uid === '1000' && writable === 'EROFS', 'it is root, or its root file system can be written')
    // Exits with 1 while it is unhealthy.
    if (engine === 'podman') containerSays('healthcheck', 'run', name)
    report('its health check passes')
    const admin = inside(name, "fs.readFileSync('/data/admin-token', 'utf8').trim()")
    await call(base, 'POST', '/session/init', { Name: 'kept', Token: 'token-of-the-image' }, admin)
    containerSays('kill', '--signal', 'KILL', name)
    containerSays('start', name)
    const back = await answers(`${base}/server/ready`)
    const kept = JSON.stringify(await call(base, 'GET', '/session/all', undefined, admin)).includes('"kept"')
    report(`SIGKILL and start: answers after ${back}; its session is ${kept ? 'there' : 'lost'}`)
    check(kept, 'a session was lost')
    const began = Date.now()
    containerSays('stop', '--time', '15', name)
    const code = containerSays('inspect', '--format', '{{.State.ExitCode}}', name)
    report(`SIGTERM: exit code ${code} after ${seconds(began)}`)
    check(code === '0', 'it did not stop cleanly')
  } finally {
    containerSays('rm', '--force', name)
    containerSays('volume', 'rm', name)
  }
}

async function runCluster(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'wamux-image-'))
  cpSync('config/deploy', folder, { recursive: true })
  const file = join(folder, 'compose/cluster.yaml')
  const image = 'wamux:0.1.0'
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(`image: ${image}`, `image: ${tag}`))
  const admin = writeSecrets(join(folder, 'compose/secrets'))
  const compose = (...args: string[]): void => {
    const command = engine === 'docker' ? ['docker', 'compose'] : [`${engine}-compose`]
    const [program = '', ...first] = [...command, '-p', 'wamux-image', '-f', file, ...args]
    execFileSync(program, first, { stdio: 'pipe', cwd: join(folder, 'compose') })
  }
  const base = 'http://127.0.0.1:8080'
  try {
    const first = Date.now()
    compose('up', '-d', '--no-build')
    await answers(`${base}/server/ready`)
    report(`compose/cluster.yaml: HAProxy answers ${seconds(first)} after "up"`)
    const nodes = await until('three nodes', async () => {
      const rows = (await call(base, 'GET', '/server/nodes', undefined, admin)) as NodeRow[]
      return rows.filter(({ State }) => State === 'ready').length === 3 ? rows : undefined
    })
    report(`nodes: ${nodes.map(shown).join(', ')}`)
    for (let at = 1; at <= 6; at += 1)
      await call(base, 'POST', '/session/init', { Name: `shop-${at}`, Token: `token-of-shop-${at}` }, admin)
    const victim = containerOf('wamux-2')
    containerSays('kill', '--signal', 'KILL', victim)
    const began = Date.now()
    let refused = 0
    const left = await until('two nodes', async () => {
      const rows = (await call(base, 'GET', '/server/nodes', undefined, admin).catch(() => {
        refused += 1
        return []
      })) as NodeRow[]
      return rows.filter(({ State }) => State === 'ready').length === 2 ? rows : undefined
    })
    report(
      `wamux-2 killed: ${left.map(shown).join(', ')} after ${seconds(began)}; ${refused} requests failed meanwhile`,
    )
    const all = JSON.stringify(await call(base, 'GET', '/session/all', undefined, admin))
    const there = [1, 2, 3, 4, 5, 6].filter((at) => all.includes(`shop-${at}`)).length
    report(`sessions that the other nodes answer for: ${there} of 6`)
    check(there === 6, 'a session was lost')
    containerSays('start', victim)
    await until('three nodes again', async () => {
      const rows = (await call(base, 'GET', '/server/nodes', undefined, admin)) as NodeRow[]
      return rows.filter(({ State }) => State === 'ready').length === 3 ? rows : undefined
    })
    report('wamux-2 started again: three nodes')
  } finally {
    compose('down', '--volumes')
    rmSync(folder, { recursive: true, force: true })
  }
}

interface NodeRow {
  readonly Name: string
  readonly State: string
  readonly Sessions: number
}

function shown({ Name, State, Sessions }: NodeRow): string {
  return `${Name} ${State} (${Sessions} sessions)`
}

/** The secrets that the comments of the compose files make. Returns the admin token. */
function writeSecrets(folder: string): string {
  const hex = (): string => randomBytes(32).toString('hex')
  const password = hex()
  const admin = hex()
  const secrets = {
    'database-password': password,
    'database-url': `postgres://wamux:${password}@database:5432/wamux`,
    'admin-token': admin,
    'master-keys': `k1:${randomBytes(32).toString('base64')}`,
    'cluster-secret': hex(),
  }
  mkdirSync(folder)
  for (const [name, text] of Object.entries(secrets)) {
    writeFileSync(join(folder, name), text)
    // For users of the containers, who are others than this one.
    chmodSync(join(folder, name), 0o644)
  }
  return admin
}

function containerOf(service: string): string {
  const names = containerSays('ps', '--format', '{{.Names}}').split('\n')
  const name = names.find((one) => new RegExp(`^wamux-image[_-]${service}[_-]1$`).test(one))
  if (!name) throw new Error(`no container of ${service} among ${names.join(', ')}`)
  return name
}

function inside(name: string, expression: string): string {
  return containerSays('exec', name, '/usr/local/bin/node', '-p', expression)
}

function containerSays(...args: string[]): string {
  return execFileSync(engine, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()
}

async function call(
  base: string,
  method: string,
  path: string,
  body: object | undefined,
  admin: string,
): Promise<unknown> {
  const answer = await fetch(base + path, {
    method,
    headers: { admintoken: admin, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(10_000),
  })
  const { data, error } = (await answer.json()) as { data?: unknown; error?: string }
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${error ?? ''}`)
  return data
}

async function answers(url: string): Promise<string> {
  const began = Date.now()
  await until(url, async () => ((await fetch(url)).ok ? true : undefined))
  return seconds(began)
}

async function until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const end = Date.now() + WAIT_MS
  for (;;) {
    const found = await ask().catch(() => undefined)
    if (found !== undefined) return found
    check(Date.now() < end, `not within ${WAIT_MS / 1000} s: ${what}`)
    await pause(250)
  }
}

function seconds(began: number): string {
  return `${((Date.now() - began) / 1000).toFixed(1)} s`
}

function check(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise)
}

function report(line: string): void {
  process.stdout.write(`${line}\n`)
}
