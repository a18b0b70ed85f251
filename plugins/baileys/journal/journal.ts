import type { BinaryNode, GroupMetadata, SignalKeyStore, WASocket } from '@whiskeysockets/baileys'
import {
  type Events,
  failpoint,
  type GatewaySignals,
  type Log,
  type PluginDb,
  type RaiseOptions,
  reasonOf,
  type Write,
} from 'wamux/plugin'
import { type RecoveryAnswer, recoveryIn } from '../app-state/recovered.ts'
import { knownAlt } from '../protocol/alt-jid.ts'
import { postOf } from '../protocol/newsletter-posts.ts'
import type { Received } from '../protocol/received.ts'
import { isPeer, type Me, messagesOf, originOf } from '../protocol/signals.ts'
import type { UndecryptableSignal } from '../sdk.ts'
import type { Backpressure } from '../socket/backpressure.ts'
import type { HistoryPart } from '../socket/history.ts'
import type { Inbox, InboxMessage } from '../store/inbox.ts'
import type { Outgoing } from '../store/outgoing.ts'
import type { Secrets } from '../store/secrets.ts'
import type { Traffic } from '../traffic.ts'
import { createAdditions } from './additions.ts'
import { type ChatTurnsParts, createChatTurns } from './chat-turns.ts'
import { createDeviceSync } from './device-sync.ts'
import type { GroupHistory } from './group-history.ts'
import type { LearntTimers } from './learnt-timers.ts'
import type { Placeholders } from './placeholders.ts'
import { messageRaiser } from './raise-message.ts'
import { createRights } from './rights.ts'
import { absentOf, failedOf, isResendable } from './undecryptable.ts'
import { ackErrorOf, dropUnknown, type UnknownCiphertexts, unreadableOf } from './unknown-ciphertexts.ts'

/** The network chooses their names. */
const MAX_UNKNOWN_TYPES = 20

export interface JournalParts {
  wa: WASocket
  keys: SignalKeyStore & ChatTurnsParts['keys']
  db: PluginDb
  session: string
  events: Pick<Events, 'raise' | 'unreadable'>
  inbox: Inbox
  secrets: Secrets
  outgoing: Pick<Outgoing, 'find' | 'messageOf'>
  backpressure: Backpressure
  timers: LearntTimers
  placeholders: Placeholders
  groupHistory: GroupHistory
  groupOf(jid: string): Promise<GroupMetadata>
  /** Resolves when settings restored by the phone are stored. */
  restored(answer: RecoveryAnswer): Promise<void>
  me(): Me
  log: Pick<Log, 'warn'>
  traffic: Traffic
  isOfContent(error: unknown): boolean
  onFailure(error: unknown): void
}

/** Logs received, sent, and undecryptable messages. */
export interface Journal {
  /** A message has arrived; await the result before it is decrypted. `handled` if there is nothing to decrypt. */
  arrived(stanza: BinaryNode): Promise<void> | 'handled' | undefined
  decrypted(message: InboxMessage): Promise<void>
  failed(stanza: BinaryNode, ciphertext: Uint8Array, error: unknown): Promise<void>
  /** A part of the phone's history. */
  history(part: HistoryPart): Promise<void>
  sent(sent: GatewaySignals['message.sent'], writes: readonly Write[], options: RaiseOptions): Promise<void>
  /** Keys of the shared settings are stored. */
  keysStored(): Promise<void>
  /** Logs messages that were decrypted but not logged before the last stop; they come first in the log. */
  resume(): Promise<void>
  /** The offline queue has ended: passes the messages that Baileys had not finished before the last stop to it. */
  replay(): void
}

export function createJournal(parts: JournalParts): Journal {
  const { wa, keys, db, session, events, inbox, secrets, outgoing, backpressure, timers } = parts
  const { placeholders, groupHistory, restored, me, traffic, isOfContent, onFailure } = parts
  const additions = createAdditions({ keys, secrets, outgoing, me })
  const onUnopened = placeholders.request
  const altOf = (jid: string): Promise<string> => knownAlt(keys, jid)
  const rights = createRights({ inbox, outgoing, secrets, me, altOf, groupOf: parts.groupOf })
  const raise = messageRaiser({ keys, session, events, additions, rights, timers, onUnopened })
  const deviceSync = createDeviceSync(wa.ws, inbox)
  const turns = createChatTurns({ keys, read, track: backpressure.track, onFailure })
  const unfinished: InboxMessage[] = []
  /** Types that were logged. */
  const unknownTypes = new Set<string>()
  let isCaughtUp = false

  /** A shared history is no message: it is read apart, and its row stays open until then. */
  function share(message: InboxMessage): boolean {
    const shared = groupHistory.sharedIn(message)
    if (!shared) return false
    void groupHistory
      .read(shared)
      .then(async (reading) => {
        const done = [inbox.done(message.hash)]
        if (reading.kind === 'history') await tellHistory(reading.part, done)
        if (reading.kind === 'none') await db.write(done)
      })
      .catch(onFailure)
    return true
  }

  /** Settings restored by the phone are no message either; the row stays open until they are stored. */
  function restore(message: InboxMessage): boolean {
    const answer = recoveryIn(message, me())
    if (!answer) return false
    void restored(answer)
      .then(() => db.write([inbox.done(message.hash)]))
      .catch(onFailure)
    return true
  }

  async function logHistory(part: HistoryPart, done: readonly Write[]): Promise<void> {
    const told = await timers.ofHistory(part)
    const { writes, ended } = await additions.readHistory(part)
    const all = [...writes, ...done, ...told]
    await events.raise(session, 'baileys.messaging-history.set', part, all).finally(ended)
  }

  /** A part that can't be read is told of, and not read again. */
  async function tellHistory(part: HistoryPart, done: readonly Write[]): Promise<void> {
    await logHistory(part, done).catch((error: unknown) => {
      if (!isOfContent(error)) throw error
      return events.unreadable(session, 'baileys.messaging-history.set', error, done)
    })
  }

  /**
   * Logs a message; if that fails twice for another reason than the storage, then the event that stands for it: an error that comes
   * back with the same message is that message's, and anybody may send it.
   */
  async function read(message: InboxMessage): Promise<void> {
    const once = async (): Promise<void> => {
      if (!deviceSync.claim(message, me()) && !share(message) && !restore(message)) await log(message)
    }
    const second = (error: unknown): Promise<void> => (isOfContent(error) ? once() : Promise.reject(error))
    await once()
      .catch(second)
      .catch(async (error: unknown) => {
        if (!isOfContent(error)) throw error
        const { hash, stanza, plain } = message
        traffic.unreadable += 1
        const origin = () => originOf(stanza, me(), plain)
        await events.unreadable(session, 'message', error, [inbox.done(hash)], { origin })
      })
  }

  async function log({ hash, ...received }: InboxMessage): Promise<void> {
    const found = messagesOf(received, me())
    // What the phone has sent again is the content of a peer message.
    const signals = isPeer(received.stanza) ? await Promise.all(found.map(placeholders.complete)) : found
    const done = [inbox.done(hash)]
    failpoint('before:event')
    if (signals.length === 0) await db.write(done)
    // A stanza may contain several messages; it is done with the last one.
    const origin = () => originOf(received.stanza, me(), received.plain)
    const raised = signals.map((signal, i) =>
      raise('message', signal, i === signals.length - 1 ? done : [], { origin }),
    )
    await Promise.all(raised)
    traffic.received += signals.length
  }

  /** A newsletter post is not encrypted: its plaintext is stored first, like a decrypted one. */
  async function logPost(hash: string, received: Received): Promise<void> {
    await db.write([inbox.row({ hash, ...received })])
    await read({ hash, ...received })
  }

  async function logAbsent(absent: UndecryptableSignal): Promise<void> {
    await raise('message.undecryptable', absent)
    if (isResendable(absent)) placeholders.request(absent.message)
  }

  function countUnknown({ types }: UnknownCiphertexts): void {
    traffic.unknownCiphertexts += types.length
    for (const type of types) {
      if (unknownTypes.has(type) || unknownTypes.size >= MAX_UNKNOWN_TYPES) continue
      unknownTypes.add(type)
      parts.log.warn({ session, type }, 'messages have ciphertexts of an unknown type, which are left out')
    }
  }

  async function logUnreadable(stanza: BinaryNode, unknown: UnknownCiphertexts): Promise<void> {
    const unreadable = unreadableOf(stanza, unknown, me())
    if (unreadable) {
      traffic.undecryptable += 1
      await raise('message.undecryptable', unreadable)
    }
    // Fails on a closing link; the network delivers the message to the next one.
    await wa.sendMessageAck(stanza, ackErrorOf(unknown)).catch(() => undefined)
  }

  /** What can't be decoded is none of Baileys' messages. */
  function isClaimed(message: InboxMessage): boolean {
    try {
      return deviceSync.claim(message, me())
    } catch {
      return false
    }
  }

  function replay(): void {
    isCaughtUp = true
    for (const message of unfinished.splice(0)) deviceSync.replay(message)
  }

  return {
    arrived(stanza) {
      const post = postOf(stanza)
      if (post) return logPost(post.hash, post.received)
      const unknown = dropUnknown(stanza)
      if (unknown) countUnknown(unknown)
      if (unknown?.isAll) {
        logUnreadable(stanza, unknown).catch(onFailure)
        return 'handled'
      }
      const absent = absentOf(stanza, me())
      return absent && logAbsent(absent)
    },
    // Baileys goes on with what own devices say to each other as soon as it is decrypted.
    decrypted: (message) =>
      isPeer(message.stanza) ? backpressure.track(read(message)) : turns.read(message),
    async failed(stanza, ciphertext, error) {
      const failed = failedOf(stanza, ciphertext, reasonOf(error), me())
      if (!failed) return
      traffic.undecryptable += 1
      await raise('message.undecryptable', failed).catch(async (fault: unknown) => {
        if (!isOfContent(fault)) throw fault
        const origin = () => originOf(stanza, me())
        await events.unreadable(session, 'message.undecryptable', fault, [], { origin })
      })
    },
    async history(part) {
      // First: rows are closed in the order in which Baileys has finished them.
      await tellHistory(part, deviceSync.historyDone(part))
    },
    sent: (sent, writes, options) => raise('message.sent', sent, writes, options),
    async keysStored() {
      const done = deviceSync.keysDone()
      if (done.length > 0) await db.write(done)
    },
    async resume() {
      for (const hash of await inbox.unfinished()) {
        const message = await inbox.find(hash)
        if (!message) continue
        if (isClaimed(message)) unfinished.push(message)
        // Queued in this order; the link does not wait for the commits.
        else turns.read(message).catch(onFailure)
      }
      if (isCaughtUp) replay()
    },
    replay,
  }
}
