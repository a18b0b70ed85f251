import { child, children, el, parseJid } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { OwnDevice } from '../device/own-device.ts'
import { contentField, unwrap } from '../display/content.ts'
import type { Proto } from './compose.ts'
import type { Stored } from './store.ts'

/** The disappearing timer of a chat. */
export interface ChatTimer {
  /** 0 for none. */
  readonly seconds: number
  /** When it was set, Unix seconds; 0 if it never was. */
  readonly setAt: number
  /** `DisappearingMode.Trigger`; for a group, the value that it reports. */
  readonly trigger: number
}

/** What a phone derives from the timer in a message. */
type Expiry = Pick<Stored, 'expiration' | 'expires' | 'willNotDisappear'>

/** The disappearing timers of a phone's chats. */
export interface Timers {
  of(chat: string): ChatTimer
  /** The message with the chat's timer, as this phone sends it. */
  stamp(chat: string, message: Proto): Proto
  /** Learns from a message, sent or received, and decides when it disappears. */
  take(message: Pick<Stored, 'chat' | 'raw' | 'timestamp'>): Expiry
  /** Learns from a notification of a group. */
  notified(stanza: Stanza): void
  /** Requests the timer of a group, if it is not known. */
  load(chat: string): Promise<void>
}

const NONE: ChatTimer = { seconds: 0, setAt: 0, trigger: 0 }

type Context = NonNullable<NonNullable<Proto['extendedTextMessage']>['contextInfo']>

export function createTimers({ wire, network, account, uplink, slot }: OwnDevice): Timers {
  const timers = slot('timers', () => new Map<string, ChatTimer>())
  const { Trigger, Initiator } = wire.proto.DisappearingMode
  const { EPHEMERAL_SETTING } = wire.proto.Message.ProtocolMessage.Type

  /** People are addressed by number or by LID: both denote one chat. */
  const keyOf = (chat: string): string => network.account(chat)?.lid ?? chat
  const isGroup = (chat: string): boolean => parseJid(chat)?.server === 'g.us'
  const isTimed = (chat: string): boolean => /@(s\.whatsapp\.net|lid|g\.us)$/.test(chat)

  function learn(chat: string, timer: ChatTimer): void {
    const key = keyOf(chat)
    if (timer.setAt >= (timers.get(key)?.setAt ?? 0)) timers.set(key, timer)
  }

  /** A chat that this phone begins has the account's default timer. */
  function begin(chat: string): ChatTimer {
    const known = timers.get(keyOf(chat))
    if (known || isGroup(chat)) return known ?? NONE
    const { duration, t } = account.disappearing
    const timer = duration > 0 ? { seconds: duration, setAt: t, trigger: Trigger.ACCOUNT_SETTING } : NONE
    timers.set(keyOf(chat), timer)
    return timer
  }

  function setting(chat: string, { protocolMessage }: Proto): boolean {
    if (protocolMessage?.type !== EPHEMERAL_SETTING) return false
    const setAt = Number(protocolMessage.ephemeralSettingTimestamp ?? 0)
    // Phones drop a setting without a time, since it can't be ordered among others.
    if (setAt > 0 && !isGroup(chat)) {
      const seconds = protocolMessage.ephemeralExpiration ?? 0
      learn(chat, { seconds, setAt, trigger: Trigger.CHAT_SETTING })
    }
    return true
  }

  return {
    of: (chat) => timers.get(keyOf(chat)) ?? NONE,
    stamp(chat, message) {
      if (!isTimed(chat) || network.isOldClient(account)) return message
      const text = message.conversation
      const raw = text
        ? wire.proto.Message.fromObject({ ...message, conversation: null, extendedTextMessage: { text } })
        : message
      const context = contextOf(raw, true)
      if (!context) return message
      const { seconds, setAt, trigger } = begin(chat)
      if (seconds === 0) return message
      const mode = { initiator: Initiator.CHANGED_IN_CHAT, ...(trigger > 0 ? { trigger } : {}) }
      Object.assign(context, {
        expiration: seconds,
        ...(isGroup(chat) ? {} : { ephemeralSettingTimestamp: setAt }),
        disappearingMode: mode,
      })
      return raw
    },
    take({ chat, raw, timestamp }) {
      if (!isTimed(chat) || setting(chat, unwrap(raw)) || !contentField(unwrap(raw))) return {}
      const context = contextOf(raw)
      const expiration = context?.expiration ?? 0
      const setAt = Number(context?.ephemeralSettingTimestamp ?? 0)
      const trigger = context?.disappearingMode?.trigger ?? 0
      if (expiration > 0 && setAt > 0 && !isGroup(chat)) learn(chat, { seconds: expiration, setAt, trigger })
      const timer = timers.get(keyOf(chat)) ?? NONE
      if (!timers.has(keyOf(chat))) timers.set(keyOf(chat), NONE)
      const isWrong = expiration !== timer.seconds || (setAt === 0 && !isGroup(chat))
      return {
        ...(expiration > 0 ? { expiration, expires: timestamp + expiration } : {}),
        ...(timer.seconds > 0 && isWrong ? { willNotDisappear: true } : {}),
      }
    },
    notified(stanza) {
      const { from = '', t = '0' } = stanza.attrs
      for (const change of children(stanza)) {
        const group = change.tag === 'create' ? child(change, 'group') : undefined
        if (group || change.tag === 'ephemeral' || change.tag === 'not_ephemeral')
          learn(from, timerOf(group ? child(group, 'ephemeral') : change, Number(t)))
      }
    },
    async load(chat) {
      if (!isGroup(chat) || timers.has(chat)) return
      const query = el('iq', { xmlns: 'w:g2', type: 'get', to: chat }, [
        el('query', { request: 'interactive' }),
      ])
      const group = child(await uplink.query(query), 'group')
      if (!timers.has(chat)) learn(chat, timerOf(child(group, 'ephemeral'), 0))
    },
  }
}

function timerOf(node: Stanza | undefined, setAt: number): ChatTimer {
  const { expiration = '0', trigger = '0' } = node?.attrs ?? {}
  return { seconds: Number(expiration), setAt, trigger: Number(trigger) }
}

/** The context in the content of a message; undefined if it can't have one. `isMade` adds a missing one. */
function contextOf(message: Proto, isMade = false): Context | undefined {
  const inner = unwrap(message)
  const field = contentField(inner)
  const content = field ? inner[field as keyof Proto] : undefined
  if (typeof content !== 'object' || content === null || !('contextInfo' in content)) return undefined
  const holder = content as { contextInfo?: Context | null }
  if (isMade) holder.contextInfo ??= {} as Context
  return holder.contextInfo ?? undefined
}
