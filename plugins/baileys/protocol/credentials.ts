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
}
