import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'

export interface KeepAliveParts {
  /** Minimum time between two pings; WhatsApp Web uses 15 s. */
  keepAliveMs: number
  /** Sends a ping; false if the link can't be pinged yet, which has no consequences. */
  ping(): boolean
  /** `Date.now()` of the last frame, or of the last time when none could be heard because the link was not read. */
  heardAt(): number
  /** Nothing was heard since a ping. */
  onSilence(): void
  random?: () => number
}

/**
 * An answer may take this much longer than the minimum time between two pings: 20 s in total for WhatsApp Web (WR
 * protocol/keepalive.rs).
 */
const GRACE_MS = 5_000

/**
 * Pings at random intervals, between one and two times `keepAliveMs`; WhatsApp Web uses 15 s × (1 + random). A fixed
 * interval would show that the client is no browser, and sessions that log in together would ping together.
 */
export function createKeepAlive(parts: KeepAliveParts): { stop(): void } {
  const { keepAliveMs, ping, heardAt, onSilence, random = Math.random } = parts
  let next: NodeJS.Timeout
  let deadline: NodeJS.Timeout | undefined

  function schedule(): void {
    next = setTimeout(run, keepAliveMs * (1 + random()))
  }

  function run(): void {
    schedule()
    if (!ping() || deadline) return
    const pingedAt = Date.now()
    deadline = setTimeout(() => {
      deadline = undefined
      if (heardAt() < pingedAt) onSilence()
    }, keepAliveMs + GRACE_MS)
  }

  schedule()
  return {
    stop() {
      clearTimeout(next)
      clearTimeout(deadline)
    },
  }
}

/** Has no effect except the network's answer. Baileys adds the id of the query. */
export function pingOf(): BinaryNode {
  const attrs = { to: 's.whatsapp.net', type: 'get', xmlns: 'w:p' }
  return { tag: 'iq', attrs, content: [{ tag: 'ping', attrs: {} }] }
}

/**
 * Answers the network's pings, for which Baileys has no handler. They have the xmlns or a child `ping`, and not always a
 * type (WR#783).
 */
export function answerPings(wa: Pick<WASocket, 'ws' | 'sendNode'>): void {
  const answered = new WeakSet<BinaryNode>()
  function answer(iq: BinaryNode): void {
    const { id, from = 's.whatsapp.net', type = 'get' } = iq.attrs
    if (!id || type !== 'get' || answered.has(iq)) return
    answered.add(iq)
    // Fails on a closing link.
    wa.sendNode({ tag: 'iq', attrs: { to: from, type: 'result', id } }).catch(() => undefined)
  }
  wa.ws.on('CB:iq,xmlns:urn:xmpp:ping', answer)
  wa.ws.on('CB:iq,,ping', answer)
}
