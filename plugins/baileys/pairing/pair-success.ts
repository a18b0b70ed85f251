import type { AuthenticationCreds, BinaryNode } from '@whiskeysockets/baileys'
import { configureSuccessfulPairing, proto } from '../baileys.ts'
import type { StoredCreds } from '../protocol/credentials.ts'
import { bytesOf, childOf, SERVER } from './stanzas.ts'

interface Accepted {
  /** To be stored before `reply` is sent. */
  creds: Partial<StoredCreds>
  reply: BinaryNode
}

/**
 * Verifies the account's signature of this companion. Its HMAC uses the secret that the phone has: from the QR code, a
 * pairing code or a passkey ceremony.
 *
 * @param secrets the currently valid ones, base64.
 * @throws if none of them fits, or if the signature is wrong.
 */
export function acceptPairing(
  stanza: BinaryNode,
  creds: AuthenticationCreds,
  secrets: readonly string[],
): Accepted {
  let failure: unknown
  for (const advSecretKey of secrets) {
    try {
      const { creds: update, reply } = configureSuccessfulPairing(stanza, { ...creds, advSecretKey })
      return { creds: { ...update, advSecretKey, logins: 0, isLidMigrated: isMigrated(stanza) }, reply }
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

/** The network tells a new companion whether the account's chats are addressed by LID (WR pair.rs). */
function isMigrated(stanza: BinaryNode): boolean {
  const props = bytesOf(childOf(stanza, 'pair-success'), 'client-props')
  return props !== undefined && proto.ClientPairingProps.decode(props).isChatDbLidMigrated === true
}

/** Makes the phone end the link with an error immediately; without an answer it would wait. */
export function refusalOfPairing({ attrs }: BinaryNode): BinaryNode {
  const error = { tag: 'error', attrs: { code: '401', text: 'not-authorized' } }
  return { tag: 'iq', attrs: { to: SERVER, type: 'error', id: attrs['id'] ?? '' }, content: [error] }
}
