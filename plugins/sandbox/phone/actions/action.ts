import { type GatewayServices, gatewayError } from 'wamux/plugin'
import type { Account, SimulatedNetwork } from '../../types.ts'
import type { KeyIndexes } from '../device/key-indexes.ts'
import type { PhoneSendExtras } from '../device/outbox.ts'
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

export interface ActionParts {
  wire: GatewayServices['wire']
  account: Account
  network: SimulatedNetwork
  uplink: StoringUplink
  /** Creates the phone of another account. */
  addPhone(account: Account): Promise<unknown>
  chatOf(to: string): string
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
