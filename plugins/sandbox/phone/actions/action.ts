import { gatewayError } from 'wamux/plugin'
import type { Account } from '../../types.ts'
import type { KeyIndexes } from '../device/key-indexes.ts'
import type { PhoneSendExtras } from '../device/outbox.ts'
import type { OwnDevice } from '../device/own-device.ts'
import type { PhoneSettings } from '../device/settings.ts'
import type { StoringUplink } from '../device/storage.ts'
import type { KnownTokens } from '../device/tokens.ts'
import type { HostedDevice } from '../hosted-device.ts'
import type { Proto } from '../messages/compose.ts'
import type { Stored } from '../messages/store.ts'

export interface Action {
  Action: string
  /** Phone number or JID of the chat. */
  Chat?: string
  Id?: string
  /** Reaction, new text, subject, or name. */
  Text?: string
  Participants?: string[]
  Companion?: string
  /** Further fields of the action by name. */
  Data?: Record<string, unknown>
}

export interface ActionParts extends OwnDevice {
  readonly uplink: StoringUplink
  /** Creates the phone of another account. */
  addPhone(account: Account): Promise<unknown>
  /** The JID of a chat given by phone number or JID. People are addressed by LID, unless given by phone JID. */
  chatOf(to: string): string
  /** Sends a message to a chat, and shows it; returns its id. */
  sendMessage(chat: string, message: Proto, extras?: PhoneSendExtras): Promise<string>
  messages(): readonly Stored[]
  readonly keyIndexes: KeyIndexes
  readonly hosted: HostedDevice
  readonly settings: PhoneSettings
  readonly tokens: Pick<KnownTokens, 'privacyOf'>
  /** Recipients of broadcast lists by JID. Only phones store these lists. */
  readonly broadcasts: Map<string, string[]>
  /** Ids of messages viewed once that were. */
  readonly opened: Set<string>
}

/** A required field of an action. */
export function requireField(action: Action, field: 'Chat' | 'Id' | 'Text' | 'Companion'): string {
  const value = action[field]
  if (!value) throw gatewayError('FIELD_MISSING', [field])
  return value
}
