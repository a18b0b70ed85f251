import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Backpressure, ReadGate } from './backpressure.ts'
import type { Receive, Stage } from './stage.ts'

export type StanzaKind = 'message' | 'receipt' | 'notification' | 'call'

export interface JournalBeforeAckParts {
  /**
   * Sees a stanza before Baileys does. Baileys gets the stanza, and so acknowledges it, only after the returned promise;
   * `handled` keeps it from Baileys altogether.
   */
  onStanza(kind: StanzaKind, stanza: BinaryNode): Promise<void> | 'handled' | undefined
  /** Resolves when the entries left by the last link are on their way into the log: they must come first there. */
  resumed: Promise<unknown>
  backpressure: Backpressure
  gate: Pick<ReadGate, 'enter'>
  isOpen(): boolean
  onFailure(error: unknown): void
}

const KINDS: Readonly<Record<string, StanzaKind>> = {
  'CB:message': 'message',
  'CB:receipt': 'receipt',
  'CB:notification': 'notification',
  'CB:call': 'call',
}
/** Marks the end of the offline queue; it must keep its position in the stream. */
const OFFLINE = 'CB:ib,,offline'

/**
 * Holds stanzas that Baileys acknowledges itself: each is passed on only after the gateway's writes for it are committed;
 * receipts in the order of arrival, and all others in theirs. Stock rc14 acknowledges receipts, notifications and calls
 * before anyone could store them (Socket/messages-recv.js, `finally`).
 */
export function journalBeforeAck(parts: JournalBeforeAckParts): Stage<Receive> {
  const { onStanza, resumed, backpressure, gate, isOpen, onFailure } = parts
  return (next) => {
    const lines = { receipts: createLine(), others: createLine() }
    const arrived: [event: string, args: unknown[], leave: () => void][] = []
    let isResumed = false
    let isFailed = false

    function createLine() {
      let tail: Promise<unknown> = Promise.resolve()
      let waiting = 0
      return function release(
        event: string,
        args: unknown[],
        ready: Promise<void> | undefined,
        leave = (): void => undefined,
      ): boolean {
        const pass = (): boolean => {
          leave()
          try {
            return next(event, ...args)
          } catch (error) {
            // The stanza's: those after it must not wait for it.
            onFailure(error)
            return true
          }
        }
        // Nothing waits and there is nothing to await: passed on directly, which keeps the order.
        if (waiting === 0 && !ready) return pass()
        waiting += 1
        tail = Promise.all([tail, ready])
          .then(() => {
            if (!isFailed) pass()
          })
          .catch((error: unknown) => {
            isFailed = true
            onFailure(error)
          })
          .finally(() => {
            waiting -= 1
          })
        return true
      }
    }

    function admit(event: string, args: unknown[], leave: () => void): boolean {
      if (isFailed) return true
      const kind = KINDS[event]
      if (!kind) return lines.others(event, args, undefined, leave)
      const stanza = args[0] as BinaryNode
      const ready = onStanza(kind, stanza)
      if (ready === 'handled') {
        leave()
        return true
      }
      const tracked = ready && backpressure.track(ready)
      // A receipt waits for a commit that it can join; stanzas after it must not wait for that.
      if (kind === 'receipt') return lines.receipts(event, args, tracked, leave)
      if (kind === 'message') return lines.others(event, [inLine(stanza, leave)], tracked)
      return lines.others(event, args, tracked, leave)
    }

    async function admitAll(): Promise<void> {
      await resumed
      isResumed = true
      for (let head = arrived[0]; head; head = arrived[0]) {
        await backpressure.ready()
        // Stanzas not admitted before the link ends wait on the network for the next link.
        if (!isOpen()) return
        arrived.shift()
        admit(...head)
      }
    }

    return (event, ...args) => {
      if (event !== OFFLINE && !(event in KINDS)) return next(event, ...args)
      const leave = gate.enter(event === OFFLINE ? undefined : (args[0] as BinaryNode))
      if (isResumed && arrived.length === 0 && !backpressure.isFull) return admit(event, args, leave)
      if (arrived.push([event, args, leave]) === 1) admitAll().catch(onFailure)
      return true
    }
  }
}

/**
 * Routes a message through Baileys' queue of offline stanzas. Stock rc14 works through that queue one by one and lets live
 * messages overtake it (Socket/messages-recv.js processNode): a group message overtakes the one with its sender key, can't
 * be decrypted, and is lost if its sender has gone. The attribute affects nothing else that the gateway uses. The content
 * is first read when the message leaves that queue.
 */
function inLine(message: BinaryNode, onRead: () => void): BinaryNode {
  const { content, ...rest } = message
  const queued: BinaryNode = { ...rest, attrs: { offline: '0', ...message.attrs } }
  return Object.defineProperty(queued, 'content', {
    enumerable: true,
    get() {
      onRead()
      return content
    },
  })
}
