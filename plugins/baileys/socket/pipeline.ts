import type { AuthenticationCreds, BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { child } from 'wamux/messaging'
import { areJidsSameUser } from '../baileys.ts'
import { omitted } from '../patches/omitted.ts'
import { isPlainReceipt } from '../protocol/signals.ts'
import { type QuestionParts, questionParts, receiveBotQuestions } from './bot-questions.ts'
import { holdFramesUntilCommit } from './commit-barrier.ts'
import { type OfflineQueueParts, pullOfflineQueue } from './connection/offline-queue.ts'
import { createFrameWriter } from './frame-writer.ts'
import { forwardHistory, type HistoryPart } from './history.ts'
import { internalsOf } from './internals.ts'
import { type JournalBeforeAckParts, journalBeforeAck } from './journal-before-ack.ts'
import { repairReplies } from './replies.ts'
import type { Emit, Receive, Send, Stage } from './stage.ts'
import { statusStanzas } from './status-stanzas.ts'

export interface SocketPipelineParts
  extends JournalBeforeAckParts,
    PairingStanzas,
    OfflineQueueParts,
    DirtyBitsParts {
  queryTimeoutMs: number
  /** Stores the phone-to-LID mappings of a reply; resolves even if that failed. */
  storeLids(pairs: { lid: string; pn: string }[]): Promise<void>
  onHistory(part: HistoryPart): void
  /** Sees retry receipts. */
  resends: Stage<Receive>
  creds: AuthenticationCreds
  sendNode(node: BinaryNode): Promise<void>
  /** Sends the ack of a stanza. */
  acknowledge(stanza: BinaryNode): Promise<void>
  /** Resolves when the writes queued so far are committed; rejects if one failed. */
  settled(): Promise<void>
  /** Whether this process may still act for the session. */
  isHeld(): boolean
}

export type StageParts = SocketPipelineParts & QuestionParts

/** The stages of a pipeline in order, each with the name of its patch. */
export type Stages<F> = readonly (readonly [patch: string, stage: Stage<F>])[]

/** The three pipelines of a socket. */
export interface Pipelines {
  inbound: Stages<Receive>
  events: Stages<Emit>
  outbound: Stages<Send>
}

/** The stages between Baileys and its connection. */
export function stagesOf(parts: StageParts): Pipelines {
  const statuses = statusStanzas(parts.acknowledge)
  return {
    inbound: patched([
      ['status-stanzas', statuses.receive],
      ['query-deadline', endUnansweredQueries(parts.queryTimeoutMs)],
      ['pairing', interceptPairing(parts)],
      ['replies', repairReplies(parts.storeLids)],
      ['dirty-bits', cleanDirtyBits(parts)],
      ['offline-queue', pullOfflineQueue(parts)],
      ['own-senders', dropOwnSenders(parts.creds)],
      ['journal-before-ack', journalBeforeAck(parts)],
      ['resends', parts.resends],
      ['receipts', acknowledgeReceipts(parts.acknowledge)],
      ['bot-questions', receiveBotQuestions(parts)],
    ]),
    events: patched([
      ['status-stanzas', statuses.events],
      ['unused-events', dropUnusedEvents()],
      ['history', forwardHistory(parts.onHistory)],
      ['push-name', fixPushName(parts.creds, parts.sendNode)],
    ]),
    outbound: patched([['commit-barrier', holdFramesUntilCommit(parts)]]),
  }
}

/**
 * Installs the stages: the only place that touches the emitters and the raw connection of a Baileys socket. Frames are
 * intercepted at the `ws` object itself, below Baileys' own `send`, which was captured when the socket was created
 * (Socket/socket.js sendPromise).
 */
export function installPipeline(
  wa: WASocket,
  parts: SocketPipelineParts,
  stages: (parts: StageParts) => Pipelines,
): void {
  const ws = internalsOf(wa)
  const { socket } = ws
  if (!socket) throw new Error('the socket has no connection')
  const { inbound, events, outbound } = stages({ ...parts, ...questionParts(wa, parts.creds) })
  // Node emits newListener only if that event has a listener; the deadline of a query begins with it.
  ws.on('newListener', () => undefined)
  ws.on('removeListener', () => undefined)
  // Baileys has no listener for it; without one the event would be dropped (`isAwaited`).
  ws.on('CB:status', () => undefined)
  const receive = compose(inbound, ws.emit.bind(ws))
  ws.emit = (event, ...args) => isAwaited(ws, event) && receive(event, ...args)
  wa.ev.emit = compose(events, wa.ev.emit.bind(wa.ev))
  const send = compose<Send>(outbound, createFrameWriter(socket, parts))
  socket.send = (frame, done) => {
    send(frame)
    // Called when the frame is queued, like for the operating system's buffer: waiting for the commit would limit sending
    // to one message per commit. Anything that depends on delivery waits for the ack.
    done?.()
  }
}

/**
 * Baileys emits each stanza under one name after the other, several for each attribute, and listens for few of them
 * (Socket/socket.js onMessageReceived). No stage needs a name without a listener.
 */
function isAwaited(ws: ReturnType<typeof internalsOf>, event: string): boolean {
  return !event.startsWith('CB:') || ws.listenerCount(event) > 0
}

function compose<F>(stages: Stages<F>, last: F): F {
  return stages.reduceRight((next, [, stage]) => stage(next), last)
}

function patched<F>(stages: Stages<F>): Stages<F> {
  return stages.filter(([name]) => !omitted.patches.has(name))
}

/**
 * Removes the other form of the sender's JID from copies of what another own device has written to somebody. Hosted devices name it
 * (zapo#241), others do not. Baileys takes it for that of the recipient, and stores the account's own number under the recipient's LID
 * (Utils/decode-wa-message.js extractAddressingContext, Socket/messages-recv.js handleMessage). The copy has the recipient's, too.
 */
function dropOwnSenders(creds: AuthenticationCreds): Stage<Receive> {
  const isOwn = (jid: string | undefined): boolean =>
    areJidsSameUser(jid, creds.me?.id) || areJidsSameUser(jid, creds.me?.lid)

  return (next) =>
    (event, ...args) => {
      const stanza = args[0] as BinaryNode
      if (event !== 'CB:message' || !stanza.attrs['recipient'] || !isOwn(stanza.attrs['from']))
        return next(event, ...args)
      const { sender_pn: _number, sender_lid: _lid, ...attrs } = stanza.attrs
      return next(event, { ...stanza, attrs }, ...args.slice(1))
    }
}

const DIRTY = 'CB:ib,,dirty'

interface DirtyBitsParts {
  query(node: BinaryNode): Promise<unknown>
  /** Groups of the session have changed; the network does not say which. */
  onGroupsChanged(): void
}

/**
 * Handles the network's notices of outdated data. For these, Baileys fetches all groups, whose events nothing reads, with
 * three handlers whose failure is an unhandled rejection, for example if the link ends in the meantime (Socket/groups.js,
 * communities.js, chats.js). It confirms `account_sync` only with the next login.
 */
function cleanDirtyBits({ query, onGroupsChanged }: DirtyBitsParts): Stage<Receive> {
  function clean({ type = '', timestamp }: Record<string, string>): void {
    const attrs = { to: 's.whatsapp.net', type: 'set', xmlns: 'urn:xmpp:whatsapp:dirty' }
    const content = [{ tag: 'clean', attrs: timestamp ? { type, timestamp } : { type } }]
    // Fails on a closing link; the network repeats the notice.
    query({ tag: 'iq', attrs, content }).catch(() => undefined)
  }

  return (next) =>
    (event, ...args) => {
      if (event !== DIRTY) return next(event, ...args)
      const { attrs = {} } = child(args[0] as BinaryNode, 'dirty') ?? {}
      if (attrs['type'] === 'groups' || attrs['type'] === 'communities') onGroupsChanged()
      clean(attrs)
      return true
    }
}

interface PairingStanzas {
  /** `pair-device`: the refs of the QR codes. */
  onPairDevice(stanza: BinaryNode): void
  /** `pair-success`: the account's signature of this companion. */
  onPairSuccess(stanza: BinaryNode): void
}

/**
 * Keeps the two queries of linking from Baileys. Its handlers end the connection as soon as no QR code is left, although a
 * pairing code or a passkey may still be in use, and close it without an answer if the account's signature is wrong
 * (Socket/socket.js, rc14).
 */
function interceptPairing({ onPairDevice, onPairSuccess }: PairingStanzas): Stage<Receive> {
  const handlers: Readonly<Record<string, (stanza: BinaryNode) => void>> = {
    'CB:iq,type:set,pair-device': onPairDevice,
    'CB:iq,,pair-success': onPairSuccess,
  }
  return (next) =>
    (event, ...args) => {
      const handle = handlers[event]
      if (!handle) return next(event, ...args)
      handle(args[0] as BinaryNode)
      return true
    }
}

/**
 * Announces a new name without its @. Baileys writes the name unchanged into an attribute (Socket/socket.js creds.update;
 * its sendPresenceUpdate removes the @), which the encoder turns into a JID (WABinary/encode.js writeString): `me@` has no
 * server, and the network ends the connection.
 */
function fixPushName(creds: AuthenticationCreds, sendNode: (node: BinaryNode) => Promise<void>): Stage<Emit> {
  return (next) => (event, data) => {
    const name = event === 'creds.update' ? (data as Partial<AuthenticationCreds>).me?.name : undefined
    if (name?.includes('@') && creds.me && creds.me.name !== name) {
      // Baileys does not announce a name that is already stored.
      creds.me = { ...creds.me, name }
      const attrs = { name: name.replaceAll('@', '') }
      // Fails on a closing link; the next one announces the name when it opens.
      sendNode({ tag: 'presence', attrs }).catch(() => undefined)
    }
    return next(event, data)
  }
}

/**
 * Acknowledges plain receipts, which the journal has stored. Baileys would only raise events that nothing reads
 * (unused-events.ts), behind a mutex, a queue and a buffer (Socket/messages-recv.js handleReceipt), in a group for each
 * member.
 */
function acknowledgeReceipts(acknowledge: (receipt: BinaryNode) => Promise<void>): Stage<Receive> {
  return (next) =>
    (event, ...args) => {
      const [stanza] = args
      if (event !== 'CB:receipt' || !isPlainReceipt(stanza as BinaryNode)) return next(event, ...args)
      // Fails on a closing link; the network then delivers the receipt again.
      acknowledge(stanza as BinaryNode).catch(() => undefined)
      return true
    }
}

/** Messages and receipts have their own signals, raised by the journal; groups have their stanzas. */
const UNUSED: ReadonlySet<string> = new Set([
  'messages.upsert',
  'messages.update',
  'messages.delete',
  'messages.reaction',
  'message-receipt.update',
  'groups.update',
])

/**
 * Drops events that nothing reads. While messages keep arriving, Baileys' event buffer holds each of them for up to 30
 * seconds, and goes through all of them for every further one (Utils/event-buffer.js emit).
 */
function dropUnusedEvents(): Stage<Emit> {
  return (next) => (event, data) => (UNUSED.has(event) ? true : next(event, data))
}

/**
 * Ends unanswered queries with an error like a refusal of the network with code 408. Unpatched Baileys resolves them with
 * undefined at their time-out (Socket/socket.js waitForMessage), which most callers handle as a reply: a number seems not
 * to be on the network, or an attribute of undefined is read.
 */
function endUnansweredQueries(timeoutMs: number): Stage<Receive> {
  const timers = new Map<string, NodeJS.Timeout>()
  return (next) =>
    (event, ...args) => {
      // Each query listens for a reply with its own tag.
      const [reply] = args
      if (typeof reply === 'string' && reply.startsWith('TAG:')) {
        if (event === 'newListener') {
          const timer = setTimeout(() => next(reply, unanswered(reply)), timeoutMs)
          // Baileys keeps listening for the reply to a query that it could not send.
          timer.unref()
          timers.set(reply, timer)
        }
        if (event === 'removeListener') {
          clearTimeout(timers.get(reply))
          timers.delete(reply)
        }
      }
      return next(event, ...args)
    }
}

function unanswered(reply: string): object {
  const error = { tag: 'error', attrs: { code: '408', text: 'no answer in time' } }
  return { tag: 'iq', attrs: { id: reply.slice('TAG:'.length), type: 'error' }, content: [error] }
}
