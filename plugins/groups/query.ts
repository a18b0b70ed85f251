import type { BinaryNode } from '@whiskeysockets/baileys'
import { ask, Jid } from 'wamux/messaging'
import type { LiveSession } from 'wamux/plugin'

/** A query to a group, or to the groups server if `group` is absent. */
export function queryGroup(
  { socket }: LiveSession,
  type: 'get' | 'set',
  content: BinaryNode,
  verb: string,
  group?: string,
): Promise<BinaryNode> {
  return ask(socket, { xmlns: 'w:g2', type, to: group ?? Jid.groups, content, verb, item: group ?? 'Group' })
}
