import { createRequire } from 'node:module'

/** A session of a record, as libsignal holds it (src/session_record.js). */
interface SignalSession {
  serialize(): object
  readonly constructor: { deserialize(data: object): SignalSession }
}

interface Cipher {
  decryptWithSessions(data: Buffer, sessions: readonly SignalSession[]): Promise<object>
  doDecryptWhisperMessage(data: Buffer, session: SignalSession): Promise<Buffer>
}

/**
 * Changes how libsignal tries a message on each of its sessions with a device (src/session_cipher.js decryptWithSessions).
 * An attempt steps the ratchet before the MAC shows whether the session is the right one, and the record is then stored
 * with the wrong sessions' ratchets stepped, too. If both sides write first at the same time, they have two sessions; the
 * next message breaks the one that the other side reads, and no later message can be decrypted. Here a failed attempt
 * leaves its session unchanged, and the error has as its cause the newest session's, which libsignal only prints.
 */
export function patchAttempts(): void {
  const { prototype } = cipher()
  const { doDecryptWhisperMessage: attempt, decryptWithSessions: tryAll } = prototype
  /** Sessions being tried; a record with a single session is not stored if the attempt fails. */
  const tried = new WeakSet<SignalSession>()
  const failures = new WeakMap<SignalSession, unknown>()
  prototype.decryptWithSessions = async function (data, sessions) {
    if (sessions.length > 1) for (const session of sessions) tried.add(session)
    try {
      return await tryAll.call(this, data, sessions)
    } catch (error) {
      const [newest] = sessions
      if (error instanceof Error && newest) error.cause ??= failures.get(newest)
      throw error
    } finally {
      for (const session of sessions) {
        tried.delete(session)
        failures.delete(session)
      }
    }
  }
  prototype.doDecryptWhisperMessage = async function (data, session) {
    const before = tried.has(session) ? session.serialize() : undefined
    try {
      return await attempt.call(this, data, session)
    } catch (error) {
      failures.set(session, error)
      if (before) Object.assign(session, session.constructor.deserialize(before))
      throw error
    }
  }
}

/** A failed attempt restores its session. */
export async function verifyAttempts(): Promise<boolean> {
  let isRestored = false
  const session: SignalSession = {
    serialize: () => ({}),
    constructor: {
      deserialize() {
        isRestored = true
        return session
      },
    },
  }
  await cipher()
    .prototype.decryptWithSessions(Buffer.alloc(1), [session, session])
    .catch(() => undefined)
  return isRestored
}

function cipher(): { prototype: Cipher } {
  return createRequire(import.meta.url)('libsignal/src/session_cipher.js') as { prototype: Cipher }
}
