import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../config/build/port.ts'
import { temporaryFolder } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'

export interface Haproxy {
  readonly url: string
  stop(): Promise<void>
}

const PROGRAM = '/usr/sbin/haproxy'
export const hasHaproxy = existsSync(PROGRAM)

/** HAProxy in front of one node, in the mode of config/deploy/haproxy. */
export async function startHaproxy(node: string): Promise<Haproxy> {
  const port = await freePort()
  const file = join(temporaryFolder(), 'haproxy.cfg')
  writeFileSync(
    file,
    `defaults
    mode http
    option forwardfor
    timeout connect 2s
    timeout client 60s
    timeout server 60s
    timeout tunnel 60s
frontend wamux
    bind 127.0.0.1:${port}
    default_backend nodes
backend nodes
    server node ${new URL(node).host}
`,
  )
  const child = spawn(PROGRAM, ['-db', '-f', file], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  const answers = (): Promise<boolean> =>
    fetch(`${url}/server/ok`).then(
      ({ ok }) => ok,
      () => false,
    )
  await eventually(answers, 'HAProxy answers')
  return {
    url,
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
