import type { BinaryNode } from '@whiskeysockets/baileys'
import type { PasskeyChallenge, PasskeyCredential } from './assertion.ts'

/** What the ceremony needs from its link. */
export interface PasskeyIo {
  /** A query in the namespace `md`; rejects with an error of the table. */
  query(type: 'get' | 'set', content: BinaryNode): Promise<BinaryNode>
  sendNode(node: BinaryNode): Promise<void>
  /** The adv secret of the code that the phone scanned, base64. */
  secret(): string
  /** Resolves when the new secret is stored and valid. */
  replaceSecret(secret: string): Promise<void>
  /** Whether a proof may replace the comparison of codes. */
  isHandedOff(): boolean
  readonly keys: { readonly noise: Uint8Array; readonly identity: Uint8Array }
  onEvent(type: 'passkey' | 'passkey-confirm' | 'passkey-failed', detail: string): void
}

/** The ceremony of a session, for its owner. */
export interface PasskeyStatus {
  readonly state: 'none' | 'challenge' | 'submitted' | 'confirm' | 'confirmed' | 'failed'
  /** In `challenge`: the request options of the WebAuthn assertion, unchanged. */
  readonly challenge?: PasskeyChallenge
  /** In `confirm`: `XXXX-XXXX`, to compare with the phone's code. */
  readonly code?: string
  /** When the step times out, RFC 3339. */
  readonly expiresAt?: string
  /** Why the ceremony failed. */
  readonly reason?: string
  /** Whether it failed because a step was not answered in time. */
  readonly isTimeout?: boolean
}

export interface PasskeyFlow {
  status(): PasskeyStatus
  readonly isActive: boolean
  /** Handles `passkey_prologue_request`: the account requires a passkey. Undefined unless the server sent it. */
  request(notification: BinaryNode): Promise<void> | undefined
  /** Handles `crsc_continuation`: the phone's half. Undefined unless the server sent it. */
  continue(notification: BinaryNode): Promise<void> | undefined
  /** Rejects FIELD_INVALID, PASSKEY_UNEXPECTED, or like a query; a refusal by the network fails the ceremony. */
  submit(credential: PasskeyCredential): Promise<PasskeyStatus>
  /** Confirms that the codes are equal. Rejects PASSKEY_UNEXPECTED or like a query. */
  confirm(): Promise<PasskeyStatus>
  fail(reason: string): void
  /** The link has ended or is complete. */
  stop(): void
}
