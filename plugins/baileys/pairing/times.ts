/** Limits of the steps of linking, in milliseconds. */
export interface LinkTimes {
  /** How long the first QR code is shown, and how long each of those after it. */
  qrFirstMs: number
  qrNextMs: number
  /** How long a pairing code can be entered. */
  codeMs: number
  /** How long a passkey challenge can be answered. */
  passkeyMs: number
  /** How long after a challenge the secret of the scanned code proves that it is the same companion. */
  handoffMs: number
  /** Of each later step of the passkey ceremony: the phone's answer, the confirmation, the link. */
  passkeyStepMs: number
}
