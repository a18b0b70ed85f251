import { createRequire } from 'node:module'

/** A session of a record, as libsignal holds it (src/session_record.js). */
interface Entry {
  serialize(): object
  readonly constructor: { deserialize(data: object): Entry }
}

interface Cipher {
  decryptWithSessions(data: Buffer, sessions: readonly Entry[]): Promise<object>
  doDecryptWhisperMessage(data: Buffer, session: Entry): Promise<Buffer>
}

/**
 * Changes how libsignal tries a message on each session that it has with a device (src/session_cipher.js
 * decryptWithSessions). An attempt steps the ratchet before the MAC shows whether the session is the right one, and the
 * record is then stored with the ratchets of the wrong sessions stepped, too. If both sides write first at the same time,
 * they have two sessions; the next message breaks the one that the other side reads, and no later message can be
 * decrypted. Here a failed attempt leaves its session unchanged.
 */
export function patchAttempts(): void {
  const { prototype } = cipher()
  const { doDecryptWhisperMessage: attempt, decryptWithSessions: tryAll } = prototype
  /** Sessions of records that are being tried; a record without another session is not stored when the attempt fails. */
  const tried = new WeakSet<Entry>()
  prototype.decryptWithSessions = function (data, sessions) {
    if (sessions.length === 1) return tryAll.call(this, data, sessions)
    for (const session of sessions) tried.add(session)
    return tryAll.call(this, data, sessions).finally(() => {
      for (const session of sessions) tried.delete(session)
    })
  }
  prototype.doDecryptWhisperMessage = async function (data, session) {
    if (!tried.has(session)) return attempt.call(this, data, session)
    const before = session.serialize()
    try {
      return await attempt.call(this, data, session)
    } catch (error) {
      Object.assign(session, session.constructor.deserialize(before))
      throw error
    }
  }
}

/** A failed attempt restores its session. */
export async function verifyAttempts(): Promise<boolean> {
  let isRestored = false
  const session: Entry = {
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
