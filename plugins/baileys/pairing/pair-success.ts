import type { AuthenticationCreds, BinaryNode } from '@whiskeysockets/baileys'
import { configureSuccessfulPairing } from '../baileys.ts'
import { SERVER } from './stanzas.ts'

export interface Accepted {
  /** What to store before `reply` is sent. */
  creds: Partial<AuthenticationCreds>
  reply: BinaryNode
}

/**
 * Verifies the account's signature of this companion. Its HMAC is made with the secret that the phone has: that of the QR
 * code, of a pairing code or of a passkey ceremony.
 *
 * @param secrets those that are valid now, base64.
 * @throws if it fits none of them, or if the signature is wrong.
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
      return { creds: { ...update, advSecretKey }, reply }
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

/** Ends the link at the phone at once with an error; without an answer it waits. */
export function refusalOfPairing({ attrs }: BinaryNode): BinaryNode {
  const error = { tag: 'error', attrs: { code: '401', text: 'not-authorized' } }
  return { tag: 'iq', attrs: { to: SERVER, type: 'error', id: attrs['id'] ?? '' }, content: [error] }
}
