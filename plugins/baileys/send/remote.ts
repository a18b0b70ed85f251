import { type GatewayError, gatewayError, type Peers, type Socket } from 'wamux/plugin'
import { isJidBroadcast, isJidNewsletter } from '../baileys.ts'
import { isBot } from '../protocol/bots.ts'
import { messageId } from '../protocol/message-id.ts'
import { finalRefusal } from '../protocol/refusal.ts'
import type { Content, Sending, SendOptions } from '../sdk.ts'
import type { Outgoing, OutgoingRow } from '../store/outgoing.ts'
import { build } from './content.ts'
import { createOutcomeWait } from './outcome-wait.ts'

export interface RemoteParts {
  session: string
  /** JID of the account. */
  jid: string
  outgoing: Outgoing
  peers: Peers
  queue: number
  /** The error for everything that needs the link. */
  notOwned(): GatewayError
}

/** Topic: messages of a session wait for the process that serves it. */
export const queuedTopic = (session: string): string => `baileys.queued ${session}`
/**
 * The socket of a session that another process serves. It stores messages that do not need the link and waits for their
 * outcome; everything else throws `notOwned` before anything is stored.
 */
export function createRemoteSocket({ session, jid, outgoing, peers, queue, notOwned }: RemoteParts): Socket {
  const refuse = (): never => {
    throw notOwned()
  }
  const outcomeOf = createOutcomeWait({ session, outgoing, peers })

  /** Rejects ID_REUSED if the stored message is from a different request. */
  function assertSame(row: OutgoingRow | undefined, fingerprint: string): void {
    if (row && row.fingerprint !== fingerprint) throw gatewayError('ID_REUSED', [row.id])
  }

  async function repeat(row: OutgoingRow, fingerprint: string): Promise<Sending> {
    const { id, chat, timestamp } = row
    assertSame(row, fingerprint)
    if (row.state === 'acked')
      return { id, isReplay: true, isEnded: true, sent: Promise.resolve({ id, chat, timestamp }) }
    const refusal = row.state === 'failed' ? finalRefusal(row.error) : undefined
    if (refusal) throw refusal
    // Only the serving process can send it again.
    if (row.state === 'failed' || row.state === 'unknown') return refuse()
    return waiting(id, true)
  }

  const waiting = (id: string, isReplay: boolean): Sending => ({
    id,
    isReplay,
    isEnded: false,
    get sent() {
      return outcomeOf(id)
    },
  })

  async function send(
    chat: string,
    content: () => Promise<Content>,
    options: SendOptions = {},
  ): Promise<Sending> {
    // These need more from the link than is stored with a message.
    if (isBot(chat) || isJidBroadcast(chat) || isJidNewsletter(chat) || options.audience) return refuse()
    const { fingerprint = '', traceparent } = options
    const id = messageId(jid, options.id)
    const known = options.id === undefined ? undefined : await outgoing.find(id)
    if (known) return repeat(known, fingerprint)
    const made = await content()
    const built = await build({ userJid: jid, uploads: { prepare: refuse } }, chat, made, { ...options, id })
    const annotations = options.annotations?.()
    const isNew = await outgoing.queue(built, { fingerprint, traceparent, annotations }, queue)
    if (!isNew) assertSame(await outgoing.find(id), fingerprint)
    peers.notify(queuedTopic(session))
    return waiting(id, !isNew)
  }

  return {
    send,
    get wa() {
      return refuse()
    },
    get passkey() {
      return refuse()
    },
    lastStanzaAt: 0,
    query: refuse,
    modify: refuse,
    refetch: refuse,
    abProp: refuse,
    altJid: refuse,
    knownAlt: refuse,
    sendPresence: refuse,
    subscribePresence: refuse,
    givenTokens: refuse,
    markRead: refuse,
    markPlayed: refuse,
    privacy: refuse,
    setDefaultTimer: refuse,
    message: refuse,
    additionTarget: refuse,
    upload: refuse,
    uploadOpen: refuse,
    async outcome(id, viewer) {
      const found = await outgoing.outcome(id)
      return found && (await viewer.seesChat(session, found.chat)) ? found : undefined
    },
    download: refuse,
    reupload: refuse,
    requestHistory: refuse,
    requestPairingCode: refuse,
    logout: refuse,
    end: refuse,
  }
}
