import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort } from '../../config/build/port.ts'
import { temporaryFolder } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'

export interface Pooler {
  /** The database, through the pooler. */
  readonly url: string
  stop(): Promise<void>
}

const PROGRAM = '/usr/sbin/pgbouncer'
export const hasPgBouncer = existsSync(PROGRAM)
/** It refuses to run as root. */
const NOBODY = 65_534

/** PgBouncer in transaction mode, with few connections, so that clients change theirs. */
export async function startPgBouncer(databaseUrl: string): Promise<Pooler> {
  const { hostname, port: serverPort, pathname, username } = new URL(databaseUrl)
  const port = await freePort()
  const folder = temporaryFolder()
  const file = join(folder, 'pgbouncer.ini')
  const server = `host=${hostname} port=${serverPort || 5432} dbname=${pathname.slice(1)} user=${username}`
  writeFileSync(
    file,
    `[databases]
pooled = ${server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
`,
  )
  chmodSync(folder, 0o755)
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  const child = spawn(PROGRAM, [file], { stdio: 'ignore', ...user })
  const ended = once(child, 'exit')
  await eventually(() => isOpen(port), 'PgBouncer listens')
  return {
    url: `postgres://${username}@127.0.0.1:${port}/pooled`,
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const result = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false)
  socket.destroy()
  return result
}
