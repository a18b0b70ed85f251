import { gatewayError } from 'wamux/plugin'
import { bare, parseJid } from '../../stanza.ts'
import type { Stored } from '../messages/store.ts'
import { type Action, type ActionParts, requireField } from './action.ts'

/** The message that an action refers to. */
export function targetOf(parts: ActionParts, action: Action): Stored {
  const id = requireField(action, 'Id')
  const found = parts.messages().find((one) => one.id === id)
  if (!found) throw gatewayError('MESSAGE_UNKNOWN')
  return found
}

/** The message key with which other clients find the message. */
export function keyOf({ chat, id, fromMe, from }: Stored): Record<string, unknown> {
  const isGroup = parseJid(chat)?.server === 'g.us'
  return { remoteJid: chat, id, fromMe, ...(isGroup && !fromMe ? { participant: bare(from) } : {}) }
}
