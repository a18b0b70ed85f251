import type { BinaryNode, CacheStore, SocketConfig, WASocket } from '@whiskeysockets/baileys'
import {
  DEFAULT_CONNECTION_CONFIG,
  getBinaryNodeChild,
  isJidGroup,
  jidDecode,
  type proto,
} from '../../baileys.ts'
import { omitted } from '../../patches/omitted.ts'
import { chatJid, isHostedDevice } from '../../protocol/business/hosted-jid.ts'
import { isPerson } from '../../protocol/chat-timer.ts'
import { isViewOnce } from '../../protocol/stanza-form.ts'
import { createCache } from '../cache.ts'
import type { Receive, Stage } from '../stage.ts'
import { createResendLimit, type ResendLimit } from './resend-limit.ts'
import { createWaitingRequests } from './waiting-requests.ts'

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
  resend(message: proto.IMessage, place: Place): Promise<unknown>
  /** Found when Baileys asked for it. */
  message?: proto.IMessage
  place?: Place
}

/** The group that a message was sent to, or the person, if an own device asks for its copy; neither if that person's device does. */
interface Place {
  readonly group?: string | undefined
  readonly recipient?: string | undefined
}

const HOUR_MS = 3_600_000
const MAX_COUNTERS = 5_000
const MAX_REQUESTS = 200
const { maxMsgRetryCount: MAX_RESENDS } = DEFAULT_CONNECTION_CONFIG

/**
 * Resends messages that a person's device could not decrypt, with that person's privacy token. Baileys attaches none to
 * resent messages, which WhatsApp then refuses with 463 (zapo 1.1.2), and accepts no extra nodes for them
 * (Socket/messages-recv.js sendMessagesAgain). So are copies for own devices, which Baileys sends without the recipient if they are
 * addressed by LID: other clients then show them in the own chat. Baileys still does everything before that: it checks the request and renews
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
        const { resend, message, place = {} } = requests.get<Request>(key) ?? {}
        const sent = counters.get<number>(key) ?? 0
        if (!resend || !message || sent >= MAX_RESENDS || isOmitted) return counters.get<T>(key)
        requests.delete(key)
        counters.set(key, sent + 1)
        return resend(message, place).then(() => Number.MAX_SAFE_INTEGER as T)
      },
    },
    async getMessage(key) {
      const { id, remoteJid } = key
      // What was sent to a person was sent to a hosted device, too.
      const message = await messageOf(remoteJid ? { ...key, remoteJid: chatJid(remoteJid) } : key)
      const name = `${id}:${key.participant || remoteJid}`
      const request = requests.get<Request>(name)
      const place = message && remoteJid ? placeOf(message, remoteJid, key.participant) : undefined
      if (message && request && place) requests.set(name, { ...request, message, place })
      return message
    },
    stageOf(resender) {
      const waiting = createWaitingRequests(resender.limit, resender.isOpen)
      return (next) =>
        (event, stanza, ...rest) => {
          const receipt = stanza as BinaryNode
          if (event !== 'CB:receipt' || receipt.attrs['type'] !== 'retry' || isOmitted)
            return next(event, stanza, ...rest)
          const { id = '', from = '', participant, recipient = from } = receipt.attrs
          const asker = participant || from
          const count = Number(getBinaryNodeChild(receipt, 'retry')?.attrs['count']) || 1
          const resend: Request['resend'] = (message, place) =>
            sendAgain(resender, { id, asker, count, ...place }, message)
          const answer = (): void => {
            requests.set(`${id}:${asker}`, { resend })
            next(event, stanza, ...rest)
          }
          void resender
            .nameOf(chatJid(recipient))
            .catch(() => recipient)
            .then((chat) => waiting.admit(chat, answer))
          return true
        }
    },
  }
}

/** Undefined where Baileys answers: members of a group, unless the message has a mark. */
function placeOf(
  message: proto.IMessage,
  chat: string,
  participant: string | null | undefined,
): Place | undefined {
  if (isJidGroup(chat)) return isViewOnce(message) ? { group: chat } : undefined
  if (!isPerson(chatJid(chat))) return undefined
  return (participant || chat) === chat ? {} : { recipient: chat }
}

interface Asked extends Place {
  readonly id: string
  /** The device that could not decrypt the message. */
  readonly asker: string
  readonly count: number
}

async function sendAgain(resender: Resender, asked: Asked, message: proto.IMessage): Promise<void> {
  const { id: messageId, asker, count, group, recipient } = asked
  // As Baileys does: a request from the phone is for all devices of its account.
  const to = (jid: string) =>
    jidDecode(jid)?.device ? { participant: { jid, count } } : { useUserDevicesCache: false }
  if (group) return void (await resender.relay(group, message, { messageId, ...to(asker) }))
  if (recipient) {
    const [jid, chat] = await Promise.all([resender.address(asker), resender.address(recipient)])
    const additionalAttributes = { recipient: chat }
    return void (await resender.relay(chat, message, {
      ...{ messageId, additionalAttributes },
      participant: { jid, count },
    }))
  }
  const [token, jid] = await Promise.all([resender.privacyToken(chatJid(asker)), resender.address(asker)])
  // As WhatsApp Web marks what it sends again to a hosted device (zapo src/retry/replay.ts).
  const meta = { tag: 'meta', attrs: { sender_intent: 'hosted' } }
  const additionalNodes = [...(token ? [token] : []), ...(isHostedDevice(asker) ? [meta] : [])]
  await resender.relay(jid, message, { messageId, additionalNodes, ...to(jid) })
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
