import type { BinaryNode } from '@whiskeysockets/baileys'
import type { PasskeyChallenge, PasskeyCredential } from './assertion.ts'

/** What the ceremony needs of its link. */
export interface PasskeyIo {
  /** One query of the namespace `md`; rejects with an error of the table. */
  query(type: 'get' | 'set', content: BinaryNode): Promise<BinaryNode>
  sendNode(node: BinaryNode): Promise<void>
  /** The adv secret of the code that the phone has scanned, base64. */
  secret(): string
  /** Resolves when this secret is stored and valid instead. */
  replaceSecret(secret: string): Promise<void>
  /** Whether a proof may replace the comparison of codes. */
  isHandedOff(): boolean
  readonly keys: { readonly noise: Uint8Array; readonly identity: Uint8Array }
  onEvent(type: 'passkey' | 'passkey-confirm' | 'passkey-failed', detail: string): void
}

/** The ceremony of a session, for its owner. */
export interface PasskeyStatus {
  readonly state: 'none' | 'challenge' | 'submitted' | 'confirm' | 'confirmed' | 'failed'
  /** The request options of the WebAuthn assertion, unchanged; in `challenge`. */
  readonly challenge?: PasskeyChallenge
  /** `XXXX-XXXX`, to compare with the phone's; in `confirm`. */
  readonly code?: string
  /** When the step times out, RFC 3339. */
  readonly expiresAt?: string
  /** Why it failed. */
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
  /** Rejects FIELD_INVALID, PASSKEY_UNEXPECTED, or as a query; after a refusal by the network the ceremony has failed. */
  submit(credential: PasskeyCredential): Promise<PasskeyStatus>
  /** The codes are equal. Rejects PASSKEY_UNEXPECTED or as a query. */
  confirm(): Promise<PasskeyStatus>
  fail(reason: string): void
  /** The link has ended, or is complete. */
  stop(): void
}
