import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../config/build/port.ts'
import { eventually } from '../../support/eventually.ts'
import { isWhole } from '../../support/run/whole.ts'

/** A real proxy in a process of its own. Its connections come from FROM, those of the gateway do not. */
export interface ProxyProcess {
  /** With user and password. */
  readonly url: string
  readonly port: number
  start(): Promise<void>
  /** Ends it, and with it its connections. */
  stop(): Promise<void>
}

/** Source address of the proxies' own connections. */
export const FROM = '127.0.0.2'

export const KINDS = {
  socks5: { tool: '/usr/bin/microsocks', command: microsocks },
  http: { tool: '/usr/bin/tinyproxy', command: tinyproxy },
} as const

export type ProxyKind = keyof typeof KINDS

export const isInstalled = (kind: ProxyKind): boolean => existsSync(KINDS[kind].tool) || isWhole

/** @param kind which of the Debian packages microsocks and tinyproxy runs */
export async function startProxy(kind: ProxyKind): Promise<ProxyProcess> {
  const port = await freePort()
  const { tool, command } = KINDS[kind]
  let end = async (): Promise<void> => undefined
  const proxy: ProxyProcess = {
    url: `${kind}://shop:p%61ssword@127.0.0.1:${port}`,
    port,
    async start() {
      const child = spawn(tool, command(port), { stdio: 'ignore' })
      const ended = once(child, 'exit')
      end = async () => {
        child.kill('SIGKILL')
        await ended
      }
      await eventually(() => accepts(port), `${kind} accepts connections`)
    },
    stop: () => end(),
  }
  await proxy.start()
  return proxy
}

function microsocks(port: number): string[] {
  return ['-i', '127.0.0.1', '-p', String(port), '-u', 'shop', '-P', 'password', '-b', FROM]
}

function tinyproxy(port: number): string[] {
  const file = join(mkdtempSync(join(tmpdir(), 'wamux-proxy-')), 'tinyproxy.conf')
  const lines = [`Port ${port}`, 'Listen 127.0.0.1', `Bind ${FROM}`, 'Allow 127.0.0.1', 'Timeout 600']
  writeFileSync(file, [...lines, 'BasicAuth shop password', ''].join('\n'))
  return ['-d', '-c', file]
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } finally {
    socket.destroy()
  }
}
