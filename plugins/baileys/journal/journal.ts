import type { BinaryNode, SignalKeyStore, WAMessage, WASocket } from '@whiskeysockets/baileys'
import {
  type Events,
  failpoint,
  type GatewaySignals,
  type PluginDb,
  type RaiseOptions,
  reasonOf,
  type Write,
} from 'wamux/plugin'
import { postOf } from '../protocol/newsletter-posts.ts'
import type { Received } from '../protocol/received.ts'
import { type Me, messagesOf } from '../protocol/signals.ts'
import type { Backpressure } from '../socket/backpressure.ts'
import type { HistoryPart } from '../socket/history.ts'
import type { Entry, Inbox } from '../store/inbox.ts'
import type { Secrets } from '../store/secrets.ts'
import type { Traffic } from '../traffic.ts'
import { createAdditions } from './additions.ts'
import { createDeviceSync } from './device-sync.ts'
import type { LearntTimers } from './learnt-timers.ts'
import { messageRaiser } from './raise-message.ts'
import { absentOf, failedOf } from './undecryptable.ts'

export interface JournalParts {
  wa: WASocket
  keys: SignalKeyStore
  db: PluginDb
  session: string
  events: Pick<Events, 'raise'>
  inbox: Inbox
  secrets: Secrets
  backpressure: Backpressure
  timers: LearntTimers
  me(): Me
  traffic: Traffic
  onFailure(error: unknown): void
}

/** Brings what was received, sent, or could not be read into the event log. */
export interface Journal {
  /** A message came in; what it returns must be awaited before it is decrypted. */
  arrived(stanza: BinaryNode): Promise<void> | undefined
  decrypted(entry: Entry): Promise<void>
  failed(stanza: BinaryNode, ciphertext: Uint8Array, error: unknown): Promise<void>
  /** A part of the phone's history. */
  history(part: HistoryPart): Promise<void>
  sent(sent: GatewaySignals['message.sent'], writes: readonly Write[], options: RaiseOptions): Promise<void>
  /** Keys of the shared settings are stored. */
  keysStored(): Promise<void>
  /** Begins to log what was decrypted before the last stop and not logged, before anything else is. */
  resume(): Promise<void>
  /** The offline queue is through: hands Baileys what it did not finish before the last stop. */
  replay(): void
}

export function createJournal(parts: JournalParts): Journal {
  const { wa, keys, db, session, events, inbox, secrets, backpressure, timers, me, traffic, onFailure } =
    parts
  const additions = createAdditions({ keys, secrets, me })
  const onUnopened = ({ key }: WAMessage): void => {
    const { remoteJid = '', fromMe = false, id = '', participant = '' } = key
    const named = { remoteJid, fromMe, id, ...(participant ? { participant } : {}) }
    // The phone may be offline, or not have it either.
    wa.requestPlaceholderResend(named).catch(() => undefined)
  }
  const raise = messageRaiser({ keys, session, events, additions, timers, onUnopened })
  const deviceSync = createDeviceSync(wa.ws, inbox)
  const unfinished: Entry[] = []
  let isCaughtUp = false

  async function log({ hash, ...received }: Entry): Promise<void> {
    const signals = messagesOf(received, me())
    const done = [inbox.done(hash)]
    failpoint('before:event')
    if (signals.length === 0) await db.write(done)
    // One stanza may hand on several messages; it is done with the last of them.
    const raised = signals.map((signal, i) => raise('message', signal, i === signals.length - 1 ? done : []))
    await Promise.all(raised)
    traffic.received += signals.length
  }

  /** A post is not encrypted: its plaintext is stored first, like a decrypted one. */
  async function logPost(hash: string, received: Received): Promise<void> {
    await db.write([inbox.row({ hash, ...received })])
    await log({ hash, ...received })
  }

  function replay(): void {
    isCaughtUp = true
    for (const entry of unfinished.splice(0)) deviceSync.replay(entry)
  }

  return {
    arrived(stanza) {
      const post = postOf(stanza)
      if (post) return logPost(post.hash, post.received)
      const absent = absentOf(stanza, me())
      return absent && raise('message.undecryptable', absent)
    },
    async decrypted(entry) {
      if (!deviceSync.claim(entry, me())) await backpressure.track(log(entry))
    },
    async failed(stanza, ciphertext, error) {
      const failed = failedOf(stanza, ciphertext, reasonOf(error), me())
      if (!failed) return
      traffic.undecryptable += 1
      await raise('message.undecryptable', failed)
    },
    async history(part) {
      const told = await timers.ofHistory(part)
      // First: its rows are closed in the order in which Baileys has finished them.
      const done = deviceSync.historyDone(part)
      const { writes, ended } = await additions.readHistory(part)
      const all = [...writes, ...done, ...told]
      await events.raise(session, 'baileys.messaging-history.set', part, all).finally(ended)
    },
    sent: (sent, writes, options) => raise('message.sent', sent, writes, options),
    async keysStored() {
      const done = deviceSync.keysDone()
      if (done.length > 0) await db.write(done)
    },
    async resume() {
      const entries = await inbox.unfinished()
      const rest = entries.filter((entry) => !deviceSync.claim(entry, me()))
      unfinished.push(...entries.filter((entry) => !rest.includes(entry)))
      // Queued in this order; the link does not wait for their commits.
      void Promise.all(rest.map(log)).catch(onFailure)
      if (isCaughtUp) replay()
    },
    replay,
  }
}
