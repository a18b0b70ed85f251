import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { gatewayError } from 'wamux/plugin'
import { refusalOf } from './refusal.ts'

const TIMEOUT_MS = 20_000

/**
 * One query. Without a time-out of its own, Baileys' resolves undefined when nothing comes back
 * (Socket/socket.js waitForMessage), which most of its callers take for success; this one rejects.
 */
export function queryOf(wa: WASocket) {
  return async (node: BinaryNode, verb: string, timeoutMs = TIMEOUT_MS): Promise<BinaryNode> => {
    try {
      const reply = (await wa.query(node, timeoutMs)) as BinaryNode | undefined
      if (!reply) throw gatewayError('NETWORK_SILENT')
      return reply
    } catch (error) {
      throw refusalOf(error, verb)
    }
  }
}
