import type { AuthenticationCreds, BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { omitted } from '../patches/omitted.ts'
import { type QuestionParts, questionParts, receiveBotQuestions } from './bot-questions.ts'
import { holdFramesUntilCommit } from './commit-barrier.ts'
import { type OfflineQueueParts, pullOfflineQueue } from './connection/offline-queue.ts'
import { dropOwnSenders } from './devices/own-senders.ts'
import { cleanDirtyBits, type DirtyBitsParts } from './dirty-bits.ts'
import { createFrameWriter } from './frame-writer.ts'
import { forwardHistory, type HistoryPart } from './history.ts'
import { internalsOf } from './internals.ts'
import { type JournalBeforeAckParts, journalBeforeAck } from './journal-before-ack.ts'
import { interceptPairing, type PairingStanzas } from './pairing-stanzas.ts'
import { fixPushName } from './push-name.ts'
import { endUnansweredQueries } from './query-deadline.ts'
import { acknowledgeReceipts } from './receipts.ts'
import { repairReplies } from './replies.ts'
import type { Emit, Receive, Send, Stage } from './stage.ts'
import { statusStanzas } from './status-stanzas.ts'
import { dropUnusedEvents } from './unused-events.ts'

export interface PipelineParts
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

export type StageParts = PipelineParts & QuestionParts

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
  parts: PipelineParts,
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
