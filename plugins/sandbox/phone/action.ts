import { type GatewayServices, gatewayError } from 'wamux/plugin'
import type { Account, SimulatedNetwork } from '../types.ts'
import type { Proto } from './compose.ts'
import type { Stored } from './messages.ts'
import type { Settings } from './settings.ts'
import type { StoringUplink } from './storage.ts'

export interface Action {
  Action: string
  /** Phone number or JID of the chat. */
  Chat?: string
  Id?: string
  /** Reaction, new text, subject, or name. */
  Text?: string
  Participants?: string[]
  Companion?: string
  /** Whatever else an action needs, by name. */
  Data?: Record<string, unknown>
}

export interface ActionParts {
  wire: GatewayServices['wire']
  account: Account
  network: SimulatedNetwork
  uplink: StoringUplink
  chatOf(to: string): string
  sendMessage(chat: string, message: Proto, edit?: string): Promise<string>
  messages(): readonly Stored[]
  readonly settings: Settings
  /** Broadcast lists: recipients by JID of the list. They live on phones alone. */
  readonly broadcasts: Map<string, string[]>
}

/** A field that this action can't do without. */
export function need(action: Action, field: 'Chat' | 'Id' | 'Text' | 'Companion'): string {
  const value = action[field]
  if (!value) throw gatewayError('FIELD_MISSING', [field])
  return value
}
