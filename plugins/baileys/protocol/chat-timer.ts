import type { WAMessage } from '@whiskeysockets/baileys'
import { isLidUser, isPnUser, proto, toNumber } from '../baileys.ts'

/** The disappearing timer of a chat. */
export interface ChatTimer {
  /** 0 for none. */
  readonly seconds: number
  /** When it was set, Unix seconds; 0 if it never was. */
  readonly setAt: number
  /** `DisappearingMode.Trigger`; 0 if a group reports none. */
  readonly trigger: number
}

type Content = { message?: proto.IMessage | null; contextInfo?: proto.IContextInfo | null }

const { EPHEMERAL_SETTING, EPHEMERAL_SYNC_RESPONSE } = proto.Message.ProtocolMessage.Type
const { CHANGED_IN_CHAT } = proto.DisappearingMode.Initiator
const { CHAT_SETTING } = proto.DisappearingMode.Trigger
/** Has a context but is not stamped: orders, while AB prop 3240 is off. */
const EXEMPT = new Set(['orderMessage'])
/** A time further ahead is not a wrong clock: it would outlive every later setting. */
const MAX_AHEAD_S = 24 * 3600
/** Above this, a time is in milliseconds: the history has milliseconds, messages have seconds. */
const MAX_SECONDS = 1e10

/**
 * The message with the timer in the context of its content, as WhatsApp's clients send every message in a chat with a
 * timer. Unchanged if its sender has set a timer in it, or if its kind has none. A plain text becomes a text with a
 * context.
 */
export function withTimer(message: proto.IMessage, timer: ChatTimer, isGroup: boolean): proto.IMessage {
  const { conversation, ...rest } = message
  if (conversation) return withTimer({ ...rest, extendedTextMessage: { text: conversation } }, timer, isGroup)
  const found = contentOf(message)
  if (!found) return message
  const [field, content] = found
  const inner = hasContext(field) ? undefined : content.message
  if (inner) return { ...message, [field]: { ...content, message: withTimer(inner, timer, isGroup) } }
  if (!hasContext(field) || typeof content.contextInfo?.expiration === 'number') return message
  return { ...message, [field]: { ...content, contextInfo: stamped(content.contextInfo, timer, isGroup) } }
}

function stamped(
  context: proto.IContextInfo | null | undefined,
  { seconds, setAt, trigger }: ChatTimer,
  isGroup: boolean,
): proto.IContextInfo {
  return {
    ...context,
    expiration: seconds,
    ...(isGroup ? {} : { ephemeralSettingTimestamp: setAt }),
    disappearingMode: { initiator: CHANGED_IN_CHAT, ...(trigger > 0 ? { trigger } : {}) },
  }
}

/** The timer told by a message of a 1:1 chat: a setting, or any content that has a timer. */
export function timerIn({ message, messageTimestamp }: WAMessage): ChatTimer | undefined {
  const sent = toNumber(messageTimestamp ?? 0) || Math.floor(Date.now() / 1000)
  const { protocolMessage, context } = innermost(message ?? {})
  if (protocolMessage) {
    const { type, ephemeralExpiration, ephemeralSettingTimestamp } = protocolMessage
    if (type !== EPHEMERAL_SETTING && type !== EPHEMERAL_SYNC_RESPONSE) return undefined
    const setAt = toSeconds(ephemeralSettingTimestamp) || sent
    return timerOf({ seconds: ephemeralExpiration ?? 0, setAt, trigger: CHAT_SETTING }, sent)
  }
  const seconds = context?.expiration ?? 0
  const setAt = toSeconds(context?.ephemeralSettingTimestamp)
  const trigger = context?.disappearingMode?.trigger || CHAT_SETTING
  return seconds > 0 && setAt > 0 ? timerOf({ seconds, setAt, trigger }, sent) : undefined
}

function timerOf(timer: ChatTimer, sent: number): ChatTimer | undefined {
  return timer.setAt > sent + MAX_AHEAD_S ? undefined : timer
}

/** In seconds, even if the time is in milliseconds. */
export function toSeconds(time: Parameters<typeof toNumber>[0]): number {
  const number = toNumber(time ?? 0)
  return number > MAX_SECONDS ? Math.floor(number / 1000) : number
}

export function isPerson(jid: string): boolean {
  return isPnUser(jid) === true || isLidUser(jid) === true
}

function innermost(message: proto.IMessage): {
  protocolMessage?: proto.Message.IProtocolMessage | null
  context?: proto.IContextInfo | null | undefined
} {
  if (message.protocolMessage) return { protocolMessage: message.protocolMessage }
  const [field = '', content] = contentOf(message) ?? []
  if (!content) return {}
  if (!hasContext(field) && content.message) return innermost(content.message)
  return { context: content.contextInfo }
}

/** The first part of a message that is content or wraps content. */
function contentOf(message: proto.IMessage): [field: string, content: Content] | undefined {
  for (const [field, value] of Object.entries(message)) {
    if (typeof value !== 'object' || value === null || EXEMPT.has(field)) continue
    const content = value as Content
    if (hasContext(field) || (field !== 'deviceSentMessage' && content.message)) return [field, content]
  }
  return undefined
}

const contexts = new Map<string, boolean>()

/** Whether a part of a message can have a context; reactions, votes, settings and the like can't. */
function hasContext(field: string): boolean {
  const known = contexts.get(field)
  if (known !== undefined) return known
  let part: unknown
  try {
    part = proto.Message.fromObject({ [field]: {} })[field as keyof proto.IMessage]
  } catch {
    // Not an object, for example the text of a conversation.
  }
  const has = typeof part === 'object' && part !== null && 'contextInfo' in part
  contexts.set(field, has)
  return has
}
