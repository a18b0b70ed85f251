/** Limits for the steps of linking, in milliseconds. */
export interface LinkTimes {
  /** Display time of the first QR code, and of each later one. */
  qrFirstMs: number
  qrNextMs: number
  /** How long a pairing code can be entered. */
  codeMs: number
  /** How long a passkey challenge can be answered. */
  passkeyMs: number
  /** How long after a challenge the secret of the scanned code proves that it is the same companion. */
  handoffMs: number
  /** Limit for each later step of the passkey ceremony: the phone's answer, the confirmation, the link. */
  passkeyStepMs: number
}
