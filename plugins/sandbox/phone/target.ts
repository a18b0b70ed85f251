import { gatewayError } from 'wamux/plugin'
import { bare, parseJid } from '../stanza.ts'
import { type Action, type ActionParts, need } from './action.ts'
import type { Stored } from './messages.ts'

/** The message that an action is about. */
export function targetOf(parts: ActionParts, action: Action): Stored {
  const id = need(action, 'Id')
  const found = parts.messages().find((one) => one.id === id)
  if (!found) throw gatewayError('MESSAGE_UNKNOWN')
  return found
}

/** How others are told of it. */
export function keyOf({ chat, id, fromMe, from }: Stored): Record<string, unknown> {
  const isGroup = parseJid(chat)?.server === 'g.us'
  return { remoteJid: chat, id, fromMe, ...(isGroup && !fromMe ? { participant: bare(from) } : {}) }
}
