import type { BinaryNode, CacheStore, SocketConfig, WASocket } from '@whiskeysockets/baileys'
import {
  DEFAULT_CONNECTION_CONFIG,
  getBinaryNodeChild,
  isJidGroup,
  jidDecode,
  type proto,
} from '../../baileys.ts'
import { omitted } from '../../patches/omitted.ts'
import { isPerson } from '../../protocol/chat-timer.ts'
import { isViewOnce } from '../../protocol/stanza-form.ts'
import { createCache } from '../cache.ts'
import type { Receive, Stage } from '../stage.ts'
import { createHeldRequests } from './held-requests.ts'
import { createResendLimit, type ResendLimit } from './resend-limit.ts'

/** What answers the requests; it needs the socket. */
export interface Resender {
  /** The token for a message to the JID. */
  privacyToken(jid: string): Promise<BinaryNode | undefined>
  /** The JID as messages to it name it. */
  address(jid: string): Promise<string>
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
  /** Sees the retry receipts. Requests that it has not seen are left to Baileys. */
  stageOf(resender: Resender): Stage<Receive>
}

interface Request {
  resend(message: proto.IMessage, group: string | undefined): Promise<unknown>
  /** Found when Baileys asked for it. */
  message?: proto.IMessage
  /** The group that it was sent to; undefined for one to a person. */
  group?: string | undefined
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
 *
 * @param messageOf finds the message sent to that chat.
 */
export function createResends(messageOf: SocketConfig['getMessage']): Resends {
  const counters = createCache<number>(MAX_COUNTERS, HOUR_MS)
  /** By message and device, from the receipt on. */
  const requests = createCache<Request>(MAX_REQUESTS, HOUR_MS)
  const isOmitted = omitted.patches.has('resends')

  return {
    counters: {
      ...counters,
      get<T>(key: string): Promise<T> | T | undefined {
        const { resend, message, group } = requests.get<Request>(key) ?? {}
        const sent = counters.get<number>(key) ?? 0
        if (!resend || !message || sent >= MAX_RESENDS || isOmitted) return counters.get<T>(key)
        requests.delete(key)
        counters.set(key, sent + 1)
        return resend(message, group).then(() => Number.MAX_SAFE_INTEGER as T)
      },
    },
    async getMessage(key) {
      const message = await messageOf(key)
      const { id, remoteJid } = key
      const name = `${id}:${key.participant || remoteJid}`
      const request = requests.get<Request>(name)
      // Requests of own devices and of group members need no token; those of group members may need the mark of the message.
      const isOfPerson = isPerson(remoteJid ?? '') && (key.participant || remoteJid) === remoteJid
      const group = message && isJidGroup(remoteJid ?? '') && isViewOnce(message) ? remoteJid : undefined
      if (message && request && (isOfPerson || group)) requests.set(name, { ...request, message, group })
      return message
    },
    stageOf(resender) {
      const held = createHeldRequests(resender.limit, resender.isOpen)
      return (next) =>
        (event, stanza, ...rest) => {
          const receipt = stanza as BinaryNode
          if (event !== 'CB:receipt' || receipt.attrs['type'] !== 'retry' || isOmitted)
            return next(event, stanza, ...rest)
          const { id = '', from = '', participant, recipient = from } = receipt.attrs
          const asker = participant || from
          const count = Number(getBinaryNodeChild(receipt, 'retry')?.attrs['count']) || 1
          const resend: Request['resend'] = (message, group) =>
            sendAgain(resender, { id, asker, count, group }, message)
          const answer = (): void => {
            requests.set(`${id}:${asker}`, { resend })
            next(event, stanza, ...rest)
          }
          void resender
            .nameOf(recipient)
            .catch(() => recipient)
            .then((chat) => held.admit(chat, answer))
          return true
        }
    },
  }
}

interface Asked {
  readonly id: string
  /** The device that could not decrypt the message. */
  readonly asker: string
  readonly count: number
  readonly group: string | undefined
}

async function sendAgain(resender: Resender, asked: Asked, message: proto.IMessage): Promise<void> {
  const { id: messageId, asker, count, group } = asked
  // As Baileys does: a request from the phone is for all devices of its account.
  const to = (jid: string) =>
    jidDecode(jid)?.device ? { participant: { jid, count } } : { useUserDevicesCache: false }
  if (group) return void (await resender.relay(group, message, { messageId, ...to(asker) }))
  const [token, jid] = await Promise.all([resender.privacyToken(asker), resender.address(asker)])
  await resender.relay(jid, message, { messageId, additionalNodes: token ? [token] : [], ...to(jid) })
}

/** A requested message is sent once, with a token, and only by the gateway. */
export async function areResendsTokened(): Promise<boolean> {
  const sent: unknown[] = []
  const { counters, getMessage, stageOf } = createResends(async () => ({ conversation: 'x' }))
  const stage = stageOf({
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
