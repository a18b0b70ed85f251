import { randomUUID } from 'node:crypto'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { ClientRequests } from './client-requests.ts'

/**
 * Lets a server handle one message of a client over Streamable HTTP (MCP 2025-06-18, basic/transports). Yields the server's
 * requests to the client and finally its answer; a message without an id has no answer.
 */
export async function* exchange(
  server: Server,
  message: JSONRPCMessage,
  { requests, owner, signal }: { requests: ClientRequests; owner: string; signal: AbortSignal },
): AsyncGenerator<JSONRPCMessage, void> {
  const outgoing: JSONRPCMessage[] = []
  const open: (() => void)[] = []
  let wake = (): void => undefined
  const transport: Transport = {
    start: async () => undefined,
    async send(sent) {
      if (!('id' in sent)) return
      if (!('method' in sent)) outgoing.push(sent)
      else {
        // Several servers talk to one client, and each numbers its requests from 0.
        const id = randomUUID()
        const answered = (answer: JSONRPCMessage): void =>
          transport.onmessage?.({ ...answer, id: sent.id } as JSONRPCMessage)
        open.push(requests.expect(owner, id, answered))
        outgoing.push({ ...sent, id })
      }
      wake()
    },
    close: async () => undefined,
  }
  await server.connect(transport)
  try {
    transport.onmessage?.(message)
    if (!('id' in message) || !('method' in message)) return
    for (;;) {
      const next = outgoing.shift()
      if (next) yield next
      if (next && !('method' in next)) return
      if (outgoing.length > 0) continue
      await new Promise<void>((resolve, reject) => {
        wake = resolve
        if (signal.aborted) reject(signal.reason)
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      })
    }
  } finally {
    for (const close of open) close()
    await server.close()
  }
}
