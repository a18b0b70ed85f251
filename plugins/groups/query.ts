import type { BinaryNode } from '@whiskeysockets/baileys'
import { networkCodeOf } from 'wamux/messaging'
import { gatewayError, type LiveSession } from 'wamux/plugin'

const SERVER = '@g.us'

/** A query to a group, or to the groups server if `group` is absent. */
export function queryGroup(
  session: LiveSession,
  type: 'get' | 'set',
  request: BinaryNode,
  verb: string,
  group?: string,
): Promise<BinaryNode> {
  const iq = { tag: 'iq', attrs: { to: group ?? SERVER, type, xmlns: 'w:g2' }, content: [request] }
  return query(session, iq, verb, group ?? 'Group')
}

/** One query; rejects ITEM_UNKNOWN, naming `what`, if the network answers 404. */
export async function query(
  { socket }: LiveSession,
  iq: BinaryNode,
  verb: string,
  what: string,
): Promise<BinaryNode> {
  try {
    return await socket.query(iq, verb)
  } catch (error) {
    if (networkCodeOf(error) === 404) throw gatewayError('ITEM_UNKNOWN', [what], { cause: error })
    throw error
  }
}
