import { gatewayError } from 'wamux/plugin'
import { generateMessageIDV2 } from '../baileys.ts'

/**
 * The id of a message to be sent: the caller's, or a new one.
 *
 * @throws FIELD_INVALID for an id with an `@`: Baileys writes such an attribute as a JID, and `a_b@c` would leave as
 * `a@c` (WABinary/encode.js writeString).
 */
export function messageId(userId: string | undefined, requested?: string): string {
  if (requested?.includes('@')) throw gatewayError('FIELD_INVALID', ['Id', 'may not contain an @'])
  return requested ?? generateMessageIDV2(userId)
}
