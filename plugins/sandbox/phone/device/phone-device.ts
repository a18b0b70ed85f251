import { createSerialQueue, type SerialQueue } from 'wamux/plugin'
import { createKeyIndexes, type KeyIndexes } from './key-indexes.ts'
import { createKeys, type PhoneKeys } from './keys.ts'
import { createOutbox, type PhoneOutbox } from './outbox.ts'
import type { OwnDevice } from './own-device.ts'
import { createSettings, type PhoneSettings } from './settings.ts'
import { createTokens, type KnownTokens } from './tokens.ts'

/** A phone as a Signal device. */
export interface PhoneDevice {
  readonly keys: PhoneKeys
  readonly keyIndexes: KeyIndexes
  readonly tokens: KnownTokens
  readonly outbox: PhoneOutbox
  readonly settings: PhoneSettings
  /** Stanzas are handled and messages are sent one by one, as the Signal ratchets require. */
  readonly queue: SerialQueue
}

export function createPhoneDevice(own: OwnDevice): PhoneDevice {
  const keys = createKeys(own)
  const tokens = createTokens(own)
  return {
    keys,
    keyIndexes: createKeyIndexes(own, keys.creds),
    tokens,
    outbox: createOutbox(own, { keys, tokens }),
    settings: createSettings(own),
    queue: createSerialQueue(),
  }
}
