import type { AuthenticationCreds, SignedKeyPair } from '@whiskeysockets/baileys'

/** Baileys' credentials and what this driver stores with them. */
export type StoredCreds = AuthenticationCreds & {
  /** Whether the session was ever fully linked, even if that link has ended. */
  wasLinked?: boolean
  /** Number of logins of this device that the network has accepted. */
  logins?: number
  /** Whether the network has reported that the account's chats are addressed by LID. */
  isLidMigrated?: boolean
  /** When the signed prekey was published (network time, milliseconds since 1970). */
  signedPreKeyAt?: number
  /** The previous signed prekeys, newest first. */
  signedPreKeys?: readonly SignedKeyPair[]
  /** The next one, which the network may already have. */
  nextSignedPreKey?: SignedKeyPair | undefined
  /** Id of the newest announcement of changed privacy settings after which they have not been read. */
  privacyAnnouncement?: string | undefined
  /** What the phone was asked for because settings can't be read. */
  settingsRequests?: SettingsRequests
}

export interface SettingsRequests {
  /** When each key of the app state was requested, by its id (milliseconds since 1970). */
  readonly keys: Readonly<Record<string, number>>
  readonly collections: Readonly<Record<string, CollectionRequest>>
  /** Collections that can't be read for want of keys. */
  readonly waiting: readonly string[]
}

export interface CollectionRequest {
  /** When it was last requested; 0 for never. */
  readonly at: number
  /** Id of the unanswered request. */
  readonly id?: string
  /** Whether the stored copy is wrong. */
  readonly isWrong: boolean
}
