import type { SessionRecord } from './libsignal.ts'

/** Signal keeps this many receiving chains per session (signalapp/libsignal, rust/protocol/src/consts.rs). */
const KEPT = 5
/** Limit for chains that still wait for a message; Signal would drop these too. */
const MOST = 50

/**
 * Drops receiving chains on which no more messages can arrive. libsignal 6.0.0 closes a chain with each reply and keeps it
 * for good (src/session_cipher.js, maybeStepRatchet): the record of a long conversation would grow without limit, and all
 * of it is encoded and stored with each message.
 */
export function dropUsedChains(record: SessionRecord): void {
  for (const { _chains: chains } of Object.values(record.sessions)) {
    const closed = Object.entries(chains).filter(([, { chainKey }]) => !chainKey.key)
    for (const [at, [id, { messageKeys }]] of closed.slice(0, -KEPT).entries())
      if (at < closed.length - MOST || Object.keys(messageKeys).length === 0) delete chains[id]
  }
}
