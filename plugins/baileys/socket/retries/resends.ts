import type { BinaryNode, CacheStore, SocketConfig, WASocket } from '@whiskeysockets/baileys'
import { DEFAULT_CONNECTION_CONFIG, getBinaryNodeChild, jidDecode, type proto } from '../../baileys.ts'
import { omitted } from '../../patches/omitted.ts'
import { isPerson } from '../../protocol/chat-timer.ts'
import { createCache } from '../cache.ts'
import type { Receive, Stage } from '../stage.ts'
import { createHeldRequests } from './held-requests.ts'
import { createResendLimit, type ResendLimit } from './resend-limit.ts'

export interface ResendParts {
  /** The message sent to that chat. */
  messageOf: SocketConfig['getMessage']
  /** The token for a message to the JID. */
  privacyToken(jid: string): Promise<BinaryNode | undefined>
  /** The JID as messages to it name it. */
  address(jid: string): Promise<string>
  /** Available once the socket exists. */
  relay(...args: Parameters<WASocket['relayMessage']>): Promise<unknown>
  isOpen(): boolean
  limit: ResendLimit
  /** One name for both forms of a chat, phone and LID. */
  nameOf(chat: string): Promise<string>
}

/** Parts for the construction of a socket that let the gateway resend messages to people. */
export interface Resends extends Pick<SocketConfig, 'getMessage'> {
  /** Baileys' counter of retries (`msgRetryCounterCache`). */
  readonly counters: CacheStore
  /** Sees the retry receipts. */
  readonly stage: Stage<Receive>
}

interface Request {
  readonly count: number
  /** Found when Baileys asked for it. */
  message?: proto.IMessage
}

const HOUR_MS = 3_600_000
const MAX_COUNTERS = 5_000
const MAX_REQUESTS = 200
const { maxMsgRetryCount: MAX_RESENDS } = DEFAULT_CONNECTION_CONFIG

/**
 * Resends messages that a person's device could not decrypt, with that person's privacy token. Baileys attaches none to
 * resent messages, which WhatsApp then refuses with 463 (zapo 1.1.2), and accepts no extra nodes for them
 * (Socket/messages-recv.js sendMessagesAgain). Baileys still does everything before that: it checks the request and renews
 * the session. Then it reads its retry counter once more, to see whether the message was resent too often; at that point
 * the gateway sends the message and answers that it was. A request reaches Baileys, which acknowledges it, when the limit of its
 * chat allows a resend.
 */
export function createResends(parts: ResendParts): Resends {
  const { messageOf, privacyToken, address, relay, limit, nameOf } = parts
  const held = createHeldRequests(limit, parts.isOpen)
  const counters = createCache<number>(MAX_COUNTERS, HOUR_MS)
  /** By message and device, from the receipt on. */
  const requests = createCache<Request>(MAX_REQUESTS, HOUR_MS)
  const isOmitted = omitted.patches.has('resends')

  async function sendAgain(key: string, message: proto.IMessage, count: number): Promise<void> {
    const [messageId = '', asker = ''] = splitKey(key)
    const [token, jid] = await Promise.all([privacyToken(asker), address(asker)])
    // As Baileys does: a request from the phone is for all devices of its account.
    const to = jidDecode(jid)?.device ? { participant: { jid, count } } : { useUserDevicesCache: false }
    await relay(jid, message, { messageId, additionalNodes: token ? [token] : [], ...to })
  }

  return {
    counters: {
      ...counters,
      get<T>(key: string): Promise<T> | T | undefined {
        const { message, count = 1 } = requests.get<Request>(key) ?? {}
        const sent = counters.get<number>(key) ?? 0
        if (!message || sent >= MAX_RESENDS || isOmitted) return counters.get<T>(key)
        requests.delete(key)
        counters.set(key, sent + 1)
        return sendAgain(key, message, count).then(() => Number.MAX_SAFE_INTEGER as T)
      },
    },
    async getMessage(key) {
      const message = await messageOf(key)
      const { id, remoteJid } = key
      const name = `${id}:${key.participant || remoteJid}`
      const request = requests.get<Request>(name)
      // Requests of own devices and of group members need no token.
      const isOfPerson = isPerson(remoteJid ?? '') && (key.participant || remoteJid) === remoteJid
      if (message && request && isOfPerson) requests.set(name, { ...request, message })
      return message
    },
    stage:
      (next) =>
      (event, stanza, ...rest) => {
        const receipt = stanza as BinaryNode
        if (event !== 'CB:receipt' || receipt.attrs['type'] !== 'retry' || isOmitted)
          return next(event, stanza, ...rest)
        const { from = '', recipient = from } = receipt.attrs
        const answer = (): void => {
          note(receipt)
          next(event, stanza, ...rest)
        }
        void nameOf(recipient)
          .catch(() => recipient)
          .then((chat) => held.admit(chat, answer))
        return true
      },
  }

  function note(receipt: BinaryNode): void {
    const { attrs } = receipt
    const count = Number(getBinaryNodeChild(receipt, 'retry')?.attrs['count']) || 1
    requests.set(`${attrs['id']}:${attrs['participant'] || attrs['from']}`, { count })
  }
}

/** Ids contain no colon, JIDs of devices do. */
function splitKey(key: string): [id: string, jid: string] {
  const at = key.indexOf(':')
  return [key.slice(0, at), key.slice(at + 1)]
}

/** A requested message is sent once, with a token, and only by the gateway. */
export async function areResendsTokened(): Promise<boolean> {
  const sent: unknown[] = []
  const { counters, getMessage, stage } = createResends({
    messageOf: async () => ({ conversation: 'x' }),
    privacyToken: async () => ({ tag: 'cstoken', attrs: {} }),
    address: async (jid) => jid,
    relay: async (...args) => void sent.push(args[2].additionalNodes?.[0]?.tag),
    isOpen: () => true,
    limit: createResendLimit(),
    nameOf: async (chat) => chat,
  })
  const [id, from] = ['ID', '1:2@lid']
  const receipt = { tag: 'receipt', attrs: { id, from, type: 'retry' } }
  stage(() => true)('CB:receipt', receipt)
  await new Promise(setImmediate)
  const early = await counters.get(`${id}:${from}`)
  await getMessage({ id, remoteJid: from, participant: from })
  const late = await counters.get<number>(`${id}:${from}`)
  return early === undefined && sent.join() === 'cstoken' && (late ?? 0) > MAX_RESENDS
}
