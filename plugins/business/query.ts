import type { BinaryNode } from '@whiskeysockets/baileys'
import { networkCodeOf } from 'wamux/messaging'
import { gatewayError, type LiveSession } from 'wamux/plugin'

interface Query {
  xmlns: string
  type: 'get' | 'set'
  content: BinaryNode
  /** The action, for error texts: `Failed to <verb>: …`. */
  verb: string
  /** The item that ITEM_UNKNOWN names when the network answers 404. */
  about: string
  /** Id of the query's schema, if the network requires it. */
  smax?: string
}

/**
 * One query to the network. Rejects like `session.socket.query`, with ITEM_UNKNOWN for a missing item, and with
 * NETWORK_FORBIDDEN also if the account is not a business account.
 */
export async function query(session: LiveSession, question: Query): Promise<BinaryNode> {
  const { xmlns, type, content, verb, about, smax } = question
  const attrs = { to: 's.whatsapp.net', type, xmlns, ...(smax ? { smax_id: smax } : {}) }
  try {
    return await session.socket.query({ tag: 'iq', attrs, content: [content] }, verb)
  } catch (error) {
    const code = networkCodeOf(error)
    if (code === 404) throw gatewayError('ITEM_UNKNOWN', [about], { cause: error })
    if (code === 405)
      throw gatewayError('NETWORK_FORBIDDEN', ['not a business account (405)'], { cause: error })
    throw error
  }
}
