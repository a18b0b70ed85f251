/**
 * Types of keys that change with every message. In an old copy they are those of the past: what is encrypted with one of
 * them has the number and the key of a message that was sent since, and recipients drop it as a repetition. Without
 * them each chat begins a new Signal session, and what arrives in an old one is requested again by a retry receipt.
 * `sender-key-memory` names the devices that have the sender key of a group.
 */
export const RATCHETS: readonly string[] = ['session', 'sender-key', 'sender-key-memory']

/** The table and column that hold them, for commands that work on a database without a gateway. */
export const KEYS_TABLE = 'baileys_keys'
