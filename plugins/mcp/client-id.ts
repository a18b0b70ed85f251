import { randomUUID } from 'node:crypto'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { hasForms } from './mcp-server.ts'

/**
 * The server keeps no state of a client between two messages. The capability to ask the user, which a client declares when it
 * connects, is encoded in the id that it then receives (`Mcp-Session-Id`), and so survives a restart.
 */
const ASKING = 'asking-'

/** The id header, if this message connects a client that can ask its user; otherwise none. */
export function idFor(message: JSONRPCMessage): Record<string, string> {
  const params = ('method' in message && message.method === 'initialize' && message.params) || {}
  const { capabilities } = params as { capabilities?: { elicitation?: object } }
  return hasForms(capabilities?.elicitation) ? { 'Mcp-Session-Id': `${ASKING}${randomUUID()}` } : {}
}

export function canAsk(header: (name: string) => string): boolean {
  return header('mcp-session-id').startsWith(ASKING)
}
