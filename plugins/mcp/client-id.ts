import { randomUUID } from 'node:crypto'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { hasForms } from './mcp-server.ts'

/**
 * Nothing is kept of a client between two of its messages: that it can ask its user, which it says when it connects, is in the
 * id that it is given then (`Mcp-Session-Id`), and so outlasts a restart.
 */
const ASKING = 'asking-'

/** The header with the id of a client that connects with this message and can ask its user; none for others. */
export function idFor(message: JSONRPCMessage): Record<string, string> {
  const params = ('method' in message && message.method === 'initialize' && message.params) || {}
  const { capabilities } = params as { capabilities?: { elicitation?: object } }
  return hasForms(capabilities?.elicitation) ? { 'Mcp-Session-Id': `${ASKING}${randomUUID()}` } : {}
}

export function canAsk(header: (name: string) => string): boolean {
  return header('mcp-session-id').startsWith(ASKING)
}
