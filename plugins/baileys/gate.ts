import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { fault } from 'wamux/plugin'
import type { Room } from './room.ts'

export interface GateParts {
  /**
   * Takes a stanza before Baileys does. What it returns is awaited before Baileys may see, and so
   * acknowledge, the stanza; `taken` means that Baileys is not to see it at all.
   */
  before(
    kind: 'message' | 'receipt' | 'notification' | 'call',
    stanza: BinaryNode,
  ): Promise<void> | 'taken' | undefined
  room: Room
  onFailure(error: unknown): void
}

const KINDS = {
  'CB:message': 'message',
  'CB:receipt': 'receipt',
  'CB:notification': 'notification',
  'CB:call': 'call',
} as const
/** Says that the offline queue is through: it must not overtake what came before it. */
const OFFLINE = 'CB:ib,,offline'

/**
 * Stands between the wire and Baileys for stanzas that it acknowledges by itself: each is released, in the
 * order of arrival, only when what the gateway makes of it is committed. Stock rc14 acknowledges receipts,
 * notifications and calls before anyone could store them (Socket/messages-recv.js, `finally`).
 */
export function gate(wa: WASocket, { before, room, onFailure }: GateParts): void {
  const ws = wa.ws as unknown as { emit(event: string, ...args: unknown[]): boolean }
  const emit = ws.emit.bind(ws)
  let tail: Promise<unknown> = Promise.resolve()
  const arrived: [event: string, args: unknown[]][] = []
  let waiting = 0
  let isFailed = false

  function release(event: string, args: unknown[], ready: Promise<void> | undefined): boolean {
    // Nothing waits and nothing is to wait for: no detour, and no change of order either.
    if (waiting === 0 && !ready) return emit(event, ...args)
    waiting += 1
    tail = Promise.all([tail, ready])
      .then(() => {
        if (!isFailed) emit(event, ...args)
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

  function admit(event: string, args: unknown[]): boolean {
    if (isFailed) return true
    if (event === OFFLINE) return release(event, args, undefined)
    const kind = KINDS[event as keyof typeof KINDS]
    const stanza = args[0] as BinaryNode
    const ready = before(kind, stanza)
    if (ready === 'taken') return true
    const held = ready && room.hold(ready)
    return release(event, [kind === 'message' ? inLine(stanza) : stanza], fault.isStock ? undefined : held)
  }

  async function admitAll(): Promise<void> {
    for (let next = arrived[0]; next; next = arrived[0]) {
      await room.free()
      // What a link has not taken when it ends waits on the network, for the next one.
      if (!wa.ws.isOpen) return
      arrived.shift()
      admit(...next)
    }
  }

  ws.emit = (event, ...args) => {
    if (event !== OFFLINE && !(event in KINDS)) return emit(event, ...args)
    if (arrived.length === 0 && !room.isFull) return admit(event, args)
    if (arrived.push([event, args]) === 1) admitAll().catch(onFailure)
    return true
  }
}

/**
 * Sends a message down Baileys' queue of offline stanzas. Stock rc14 works off that queue one by one and lets
 * live messages pass it (Socket/messages-recv.js processNode): a group message overtakes the one that brings
 * its sender key, can't be decrypted, and is lost if its sender has gone. The attribute decides nothing else
 * that the gateway uses.
 */
function inLine(message: BinaryNode): BinaryNode {
  return fault.isStock ? message : { ...message, attrs: { offline: '0', ...message.attrs } }
}
