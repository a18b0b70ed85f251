/** Why a message could not be decrypted, as a retry receipt names it (whatsapp-rust protocol/retry.rs). */
const NO_SESSION = 1
const INVALID_KEY = 2
const INVALID_KEY_ID = 3
const INVALID_MESSAGE = 4
const INVALID_SIGNATURE = 5
const FUTURE_MESSAGE = 6
const BAD_MAC = 7
const INVALID_SESSION = 8
const INVALID_MESSAGE_KEY = 9

/** Errors of libsignal (src/session_cipher.js, session_builder.js, crypto.js) and of Baileys' groups (Signal/Group). */
const REASONS: readonly (readonly [RegExp, reason: number])[] = [
  [/^Bad MAC/, BAD_MAC],
  [/^No session record|^No sessions available|^No SenderKeyRecord|^No session found/, NO_SESSION],
  [/^UntrustedIdentityKeyError/, INVALID_KEY],
  [/^Invalid PreKey ID|^Missing SignedPreKey/, INVALID_KEY_ID],
  [/^Invalid signature/, INVALID_SIGNATURE],
  [/into the future/, FUTURE_MESSAGE],
  [/^Chain closed/, INVALID_SESSION],
  [/^Key used already|old counter|^No sender message key/, INVALID_MESSAGE_KEY],
  [
    /^Incompatible version|^InvalidMessageException|^No matching sessions|^invalid wire type/,
    INVALID_MESSAGE,
  ],
]

/** @returns 0 for an unknown reason. */
export function retryReasonOf(error: unknown): number {
  // Thrown by protobufjs: the message can't be decoded.
  if (error instanceof RangeError) return INVALID_MESSAGE
  const { message, name, cause } = error as Error
  // libsignal tries a message on each session, and throws an error of its own in the end: patches/attempts.ts keeps the first.
  const text = cause instanceof Error ? cause.message : message || name
  return REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? 0
}
