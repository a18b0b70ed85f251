import type {
  BaileysEventMap,
  BinaryNode,
  SignalKeyStore,
  WAMessage,
  WASocket,
} from '@whiskeysockets/baileys'
import { type Events, fault, type PluginDb, reasonOf, type Write } from 'wamux/plugin'
import { hearHistory } from './history.ts'
import type { Entry, Inbox, Received } from './inbox.ts'
import { createPeers } from './peers.ts'
import { postOf } from './posts.ts'
import { messageRaiser } from './raise-message.ts'
import type { Room } from './room.ts'
import { type Me, messagesOf } from './signals.ts'
import { absentOf, failedOf } from './undecryptable.ts'

export interface JournalParts {
  wa: WASocket
  keys: SignalKeyStore
  db: PluginDb
  session: string
  events: Pick<Events, 'raise'>
  inbox: Inbox
  room: Room
  me(): Me
  onFailure(error: unknown): void
}

/** Brings what was received, sent, or could not be read into the event log. */
export interface Journal {
  /** A message came in; what it returns must be awaited before it is decrypted. */
  arrived(stanza: BinaryNode): Promise<void> | undefined
  decrypted(entry: Entry): Promise<void>
  failed(stanza: BinaryNode, ciphertext: Uint8Array, error: unknown): Promise<void>
  sent(message: WAMessage, writes: readonly Write[]): Promise<void>
  /** Keys of the shared settings are stored. */
  keysStored(): Promise<void>
  /** Logs what was decrypted before the last stop and not logged. */
  resume(): Promise<void>
  /** The offline queue is through: hands Baileys what it did not finish before the last stop. */
  replay(): void
}

export function createJournal(parts: JournalParts): Journal {
  const { wa, keys, db, session, events, inbox, room, me, onFailure } = parts
  const raise = messageRaiser(keys, session, events)
  const peers = createPeers(wa.ws, inbox)
  const unfinished: Entry[] = []
  let isCaughtUp = false

  async function history(part: BaileysEventMap['messaging-history.set']): Promise<void> {
    await events.raise(session, 'baileys.messaging-history.set', part, peers.historyDone(part))
  }
  hearHistory(wa, (part) => void history(part).catch(onFailure))

  async function log({ hash, ...received }: Entry): Promise<void> {
    const signals = messagesOf(received, me())
    const done = [inbox.done(hash)]
    fault.at('before:event')
    if (signals.length === 0) await db.write(done)
    // One stanza may hand on several messages; it is done with the last of them.
    const raised = signals.map((signal, i) => raise('message', signal, i === signals.length - 1 ? done : []))
    await Promise.all(raised)
  }

  /** Nobody decrypts it: kept first, as with what was decrypted. */
  async function logPost(hash: string, received: Received): Promise<void> {
    await db.write([inbox.rows({ [hash]: received })])
    await log({ hash, ...received })
  }

  function replay(): void {
    isCaughtUp = true
    for (const entry of unfinished.splice(0)) peers.replay(entry)
  }

  return {
    arrived(stanza) {
      const post = postOf(stanza)
      if (post) return logPost(post.hash, post.received)
      const absent = absentOf(stanza, me())
      return absent && raise('message.undecryptable', absent)
    },
    async decrypted(entry) {
      if (!peers.take(entry, me())) await room.hold(log(entry))
    },
    async failed(stanza, ciphertext, error) {
      const failed = failedOf(stanza, ciphertext, reasonOf(error), me())
      if (failed) await raise('message.undecryptable', failed)
    },
    sent: (message, writes) => raise('message.sent', { message }, writes),
    async keysStored() {
      const done = peers.keysDone()
      if (done.length > 0) await db.write(done)
    },
    async resume() {
      for (const entry of await inbox.unfinished()) {
        // Baileys is at it now.
        if (peers.isOpen(entry)) continue
        if (peers.take(entry, me())) unfinished.push(entry)
        else await log(entry)
      }
      if (isCaughtUp) replay()
    },
    replay,
  }
}
