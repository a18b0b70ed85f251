import './before.ts'
import { generateMessageIDV2, type proto, type WAMessage, type WASocket } from '@whiskeysockets/baileys'
import { type GatewayError, gatewayError, isGatewayError, type Write } from 'wamux/plugin'
import { type Built, build } from './content.ts'
import { createLocks } from './locks.ts'
import type { Outgoing, OutgoingRow } from './outgoing.ts'
import { assertReachable } from './recipients.ts'
import { refusalOf, refusalOfAck } from './refusal.ts'
import type { Content, SendOptions, Sent } from './types.ts'

export interface OutboxParts {
  wa: WASocket
  outgoing: Outgoing
  /** Logs an accepted message, together with `writes`. */
  logSent(message: WAMessage, writes: readonly Write[]): Promise<unknown>
  ackTimeoutMs: number
}

export interface Outbox {
  send(chat: string, content: Content, options?: SendOptions): Promise<Sent>
  /** Sends again, under its old id, what the last stop cut off between the row and the ack. */
  resume(row: OutgoingRow): Promise<void>
  /** Waits for sends under way, at most `ms`, then fails the rest. */
  close(ms: number): Promise<void>
}

interface Ack {
  error: string | undefined
  time: number
}

/**
 * The way out: the row first, then the ratchet, then the wire, then the network's ack. An id goes out once:
 * whoever comes with it again gets the first answer.
 */
export function createOutbox({ wa, outgoing, logSent, ackTimeoutMs }: OutboxParts): Outbox {
  const chats = createLocks()
  const running = new Map<string, { fingerprint: string; sent: Promise<Sent> }>()
  const acks = new Map<string, (ack: Ack | GatewayError) => void>()
  let isClosed = false

  // Baileys says nothing of a good ack and buries a bad one in an update (Socket/messages-recv.js handleBadAck).
  wa.ws.on('CB:ack,class:message', ({ attrs }: { attrs: Record<string, string> }) => {
    acks.get(attrs['id'] ?? '')?.({
      error: attrs['error'],
      time: Number(attrs['t'] ?? 0) * 1000 || Date.now(),
    })
  })

  function ackOf(id: string): Promise<Ack> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => settle(gatewayError('NETWORK_SILENT')), ackTimeoutMs)
      const settle = (ack: Ack | GatewayError): void => {
        clearTimeout(timer)
        acks.delete(id)
        if (isGatewayError(ack)) reject(ack)
        else resolve(ack)
      }
      acks.set(id, settle)
    })
  }

  async function deliver({ id, chat, message, relay }: Built, row: OutgoingRow): Promise<Sent> {
    const ack = ackOf(id)
    // Settled even when the relay fails first.
    ack.catch(() => undefined)
    try {
      await chats.run(chat, () => wa.relayMessage(chat, message, relay))
    } catch (error) {
      acks.get(id)?.(gatewayError('NETWORK_SILENT'))
      await outgoing.end(row, 'unknown', refusalOf(error, 'send').message)
      throw isGatewayError(error)
        ? error
        : gatewayError('SEND_FAILED', [refusalOf(error, 'send').message], { cause: error })
    }
    const { error, time } = await ack.catch(async (silence: unknown) => {
      await outgoing.end(row, 'unknown', 'no answer in time')
      throw silence
    })
    if (error) {
      await outgoing.end(row, 'failed', error)
      throw refusalOfAck(error)
    }
    const sent = { id, chat, timestamp: new Date(time).toISOString() }
    await logSent(asSent(wa, id, chat, message, time), [outgoing.acked(row, sent.timestamp)])
    return sent
  }

  async function begin(chat: string, content: Content, id: string, options: SendOptions): Promise<Sent> {
    const kept = await outgoing.find(id)
    if (kept) assertSame(kept, options)
    if (kept?.state === 'acked') return { id, chat: kept.chat, timestamp: kept.timestamp }
    await assertReachable(wa, chat, options.audience)
    const built = await build(wa, chat, content, { ...options, id })
    const row = await outgoing.begin(built, options.fingerprint ?? '')
    return deliver(built, row)
  }

  return {
    async send(chat, content, options = {}) {
      if (isClosed) throw gatewayError('STOPPING')
      const id = options.id ?? generateMessageIDV2(wa.user?.id)
      const twin = running.get(id)
      if (twin) {
        if (twin.fingerprint !== (options.fingerprint ?? '')) throw gatewayError('ID_REUSED', [id])
        return twin.sent
      }
      const sent = begin(chat, content, id, options).finally(() => running.delete(id))
      running.set(id, { fingerprint: options.fingerprint ?? '', sent })
      return sent
    },
    async resume(row) {
      const built = outgoing.rebuild(row)
      const sent = deliver(built, row).finally(() => running.delete(row.id))
      running.set(row.id, { fingerprint: row.fingerprint, sent })
      await sent
    },
    async close(ms) {
      isClosed = true
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, ms)
      })
      const all = Promise.allSettled([...running.values()].map(({ sent }) => sent))
      await Promise.race([all, late])
      clearTimeout(timer)
      for (const settle of [...acks.values()])
        settle(gatewayError('NETWORK_SILENT', [], { details: 'the link was closed' }))
    },
  }
}

function assertSame(kept: OutgoingRow, { fingerprint = '' }: SendOptions): void {
  if (kept.fingerprint !== fingerprint) throw gatewayError('ID_REUSED', [kept.id])
}

/** The message as the event log shows own ones. */
function asSent(wa: WASocket, id: string, chat: string, message: proto.IMessage, time: number): WAMessage {
  const participant = chat.endsWith('@g.us') ? (wa.user?.lid ?? wa.user?.id) : undefined
  const key = {
    remoteJid: chat,
    fromMe: true,
    id,
    ...(participant ? { participant: participant.replace(/:\d+@/, '@') } : {}),
  }
  return { key, message, messageTimestamp: Math.floor(time / 1000), pushName: wa.user?.name } as WAMessage
}
