/**
 * Types of keys that change with every message. An old copy is dangerous: a message encrypted with it reuses the number and
 * key of a message sent since, and recipients drop it as a duplicate. Without these keys each chat starts a new Signal
 * session, and a message that arrives in an old session is requested again with a retry receipt. `sender-key-memory` lists
 * the devices that have the sender key of a group.
 */
export const RATCHETS: readonly string[] = ['session', 'sender-key', 'sender-key-memory']

/** The table and column that hold them, for commands that open a database without a gateway. */
export const KEYS_TABLE = 'baileys_keys'
