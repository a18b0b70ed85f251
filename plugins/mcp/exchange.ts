import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

/**
 * Has a server handle one message of a client, as Streamable HTTP without sessions does (MCP 2025-06-18, basic/transports);
 * resolves with the answer, or undefined for a message that has none.
 */
export async function exchange(
  server: Server,
  message: JSONRPCMessage,
  signal: AbortSignal,
): Promise<JSONRPCMessage | undefined> {
  let onAnswer: (answer: JSONRPCMessage) => void = () => undefined
  const answered = new Promise<JSONRPCMessage>((resolve) => {
    onAnswer = resolve
  })
  const transport: Transport = {
    start: async () => undefined,
    // Notifications of the server have no stream to go to.
    send: async (sent) => ('id' in sent ? onAnswer(sent) : undefined),
    close: async () => undefined,
  }
  await server.connect(transport)
  try {
    transport.onmessage?.(message)
    if (!('id' in message) || !('method' in message)) return undefined
    return await Promise.race([answered, aborted(signal)])
  } finally {
    await server.close()
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
