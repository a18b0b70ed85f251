import type { BinaryNode, SignedKeyPair } from '@whiskeysockets/baileys'
import { signedKeyPair, xmppSignedPreKey } from '../baileys.ts'
import type { StoredCreds } from '../protocol/credentials.ts'
import { iq } from '../protocol/query.ts'
import { refusalCode } from '../protocol/refusal.ts'

export interface SignedPreKeyParts {
  creds: StoredCreds
  /** Resolves when the credentials are committed. */
  save(): Promise<void>
  query(node: BinaryNode): Promise<unknown>
  /** The network's time, milliseconds since 1970. */
  now(): number
}

export interface SignedPreKeys {
  /**
   * Rotates the key if it is due. A failure is retried after a day if the network has trouble (5xx), otherwise at the next
   * call.
   */
  rotateIfDue(): Promise<void>
}

const DAY_MS = 24 * 3_600_000
/** As WhatsApp Web does (WR rotate_key.rs). */
const EVERY_MS = 27 * DAY_MS
const RETRY_MS = DAY_MS
/** Previous keys that are kept to decrypt messages made with them. */
const KEPT = 3
/** Ids have 24 bits. */
const MAX_ID = 0xffffff

/**
 * Rotates the signed prekey, which encrypts the first message of every new session with this device. Baileys' own function
 * is never called, and would drop the previous key (Socket/socket.js rotateSignedPreKey): messages made with that key and
 * still waiting on the network could not be decrypted.
 *
 * The new key is committed before the network learns it. If no answer comes, the same key is offered again.
 */
export function createSignedPreKeys({ creds, save, query, now }: SignedPreKeyParts): SignedPreKeys {
  let running: Promise<void> | undefined

  async function rotate(): Promise<void> {
    if (creds.signedPreKeyAt === undefined) {
      // The first key, which Baileys creates with the credentials, has no time.
      creds.signedPreKeyAt = now()
      return save()
    }
    if (now() - creds.signedPreKeyAt < EVERY_MS) return
    const id = (creds.signedPreKey.keyId % MAX_ID) + 1
    creds.nextSignedPreKey ??= signedKeyPair(creds.signedIdentityKey, id)
    const next = creds.nextSignedPreKey
    await save()
    try {
      await query(iq('encrypt', 'set', { tag: 'rotate', attrs: {}, content: [xmppSignedPreKey(next)] }))
    } catch (error) {
      const code = refusalCode(error)
      // Without a code the outcome is unknown and the key stays: the network may have it.
      if (code >= 500) creds.signedPreKeyAt = now() - EVERY_MS + RETRY_MS
      // A key that the network refused is not offered again.
      else if (code >= 400) Object.assign(creds, { nextSignedPreKey: undefined, signedPreKeyAt: now() })
      return save()
    }
    creds.signedPreKeys = [creds.signedPreKey, ...(creds.signedPreKeys ?? [])].slice(0, KEPT)
    Object.assign(creds, { signedPreKey: next, nextSignedPreKey: undefined, signedPreKeyAt: now() })
    return save()
  }

  return {
    rotateIfDue() {
      running ??= rotate().finally(() => {
        running = undefined
      })
      return running
    },
  }
}

/** The signed prekey with this id: the current one, a previous one, or one that the network may already have. */
export function signedPreKeyOf(creds: StoredCreds, id: number): SignedKeyPair | undefined {
  const keys = [creds.signedPreKey, ...(creds.signedPreKeys ?? []), creds.nextSignedPreKey]
  return keys.find((key) => key?.keyId === id)
}
