import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { LooseNetwork } from '../support/network.ts'
import { type Companion, createCompanion } from './companion.ts'
import type { Client, ClientEvent, Request, Response } from './protocol.ts'

/** The process of one client library, which runs any number of companions. */
export interface Library {
  companion(instance: string): Companion
  /** The last lines that it has written since the last call. */
  takeLines(): string[]
  close(): Promise<void>
}

const MAX_LINES = 200

/** @param ca file with the certificate of the media host's authority. */
export function startLibrary(name: string, { network }: LooseNetwork, ca: string): Library {
  const child = fork(
    resolve('test/conformance/clients/process.ts'),
    [name, network.url, network.mediaHost, network.rootKey.toString('base64')],
    {
      // zapo-js uses the WebSocket of the platform, which Node 20 has behind a flag.
      execArgv: ['--experimental-websocket', '--import', 'tsx'],
      env: { PATH: process.env['PATH'] ?? '', NODE_EXTRA_CA_CERTS: ca },
      serialization: 'advanced',
      silent: true,
    },
  )
  const lines = linesOf(child)
  const pending = new Map<number, (response: Response) => void>()
  const reports = new Map<string, (event: ClientEvent) => void>()
  const ended = once(child, 'exit')
  let requests = 0

  child.on('message', (response: Response) => {
    if ('event' in response) reports.get(response.instance)?.(response.event)
    else pending.get(response.id)?.(response)
  })
  child.on('exit', () => {
    for (const [id, settle] of pending) settle({ id, error: 'its process has ended', isNotOffered: false })
  })

  function call(instance: string, method: keyof Client, args: readonly unknown[]): Promise<unknown> {
    requests += 1
    const request: Request = { id: requests, instance, method, args }
    return new Promise((resolve, reject) => {
      pending.set(request.id, (response) => {
        pending.delete(request.id)
        if ('value' in response) resolve(response.value)
        else if ('error' in response)
          reject(response.isNotOffered ? new NotOffered(response.error) : new Error(response.error))
      })
      child.send(request)
    })
  }

  return {
    takeLines: () => lines.splice(0),
    companion(instance) {
      const { companion, report } = createCompanion((method, args) => call(instance, method, args))
      reports.set(instance, report)
      return companion
    },
    async close() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

/** The client library has no function for what the area needs. */
export class NotOffered extends Error {}

function linesOf(child: ChildProcess): string[] {
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line)
      if (lines.length > MAX_LINES) lines.shift()
    })
  }
  return lines
}
