import type { BinaryNode } from '@whiskeysockets/baileys'
import { child } from 'wamux/messaging'
import type { Receive, Stage } from '../stage.ts'

export interface OfflineQueueParts {
  sendNode(node: BinaryNode): Promise<void>
  isOpen(): boolean
  /** The network sends nothing more of the queue but has not announced its end. */
  onSilence(): void
  /** How long it must be silent for that; 60 s as in WhatsApp Web. */
  queueSilenceMs?: number
}

/** As in WhatsApp Web: the size of a batch, and the pause between its first stanza and the next request. */
const BATCH = 200
const PAUSE_MS = 100
const SILENCE_MS = 60_000

const PREVIEW = 'CB:ib,,offline_preview'
const END = 'CB:ib,,offline'
const STANZAS = new Set(['CB:message', 'CB:receipt', 'CB:notification', 'CB:call'])

/**
 * Requests the stanzas that waited on the network, batch by batch: the network sends a few, then as many as are requested,
 * and live ones only after the end. Baileys requests once, for a hundred (Socket/socket.js `CB:ib,,offline_preview`); the
 * rest and all live stanzas would wait forever.
 */
export function pullOfflineQueue(parts: OfflineQueueParts): Stage<Receive> {
  const { sendNode, isOpen, onSilence, queueSilenceMs = SILENCE_MS } = parts
  let left = 0
  let isAwaited = false
  let isEnded = false
  let silence: NodeJS.Timeout | undefined

  function ask(): void {
    if (isEnded || left <= 0 || !isOpen()) return
    isAwaited = true
    const content = [{ tag: 'offline_batch', attrs: { count: String(BATCH) } }]
    // Fails on a closing link; the next one starts over.
    sendNode({ tag: 'ib', attrs: {}, content }).catch(() => undefined)
  }

  function arrived(): void {
    left -= 1
    listen()
    if (!isAwaited) return
    isAwaited = false
    setTimeout(ask, PAUSE_MS).unref()
  }

  function listen(): void {
    clearTimeout(silence)
    silence = setTimeout(giveUp, queueSilenceMs)
    silence.unref()
  }

  function giveUp(): void {
    if (isEnded || !isOpen()) return
    isEnded = true
    onSilence()
  }

  return (next) =>
    (event, ...args) => {
      if (event === 'CB:success') listen()
      else if (event === END) {
        isEnded = true
        clearTimeout(silence)
      } else if (event === PREVIEW) {
        left = Number(child(args[0] as BinaryNode, 'offline_preview')?.attrs['count'] ?? 0)
        listen()
        ask()
        return true
      } else if (!isEnded && STANZAS.has(event) && isQueued(args[0] as BinaryNode)) arrived()
      return next(event, ...args)
    }
}

function isQueued({ attrs }: BinaryNode): boolean {
  return attrs['offline'] !== undefined
}
