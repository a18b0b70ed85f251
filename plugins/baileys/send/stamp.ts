import { isJidGroup } from '../baileys.ts'
import type { Built } from '../protocol/built.ts'
import { type ChatTimer, isPerson, withTimer } from '../protocol/chat-timer.ts'
import { type ChatTimers, COMPLETE, DEFAULT } from '../store/chat-timers.ts'

export interface StampParts {
  timers: Pick<ChatTimers, 'load' | 'of'>
  /** The other form of a person's JID, from local storage; '' if unknown. */
  altOf(jid: string): Promise<string>
  /** Queries an unknown group; its timer is learnt from the reply. */
  groupOf(jid: string): Promise<unknown>
  /** Queries the account's timer for new chats. */
  defaultTimer(): Promise<ChatTimer | undefined>
}

/** Adds the disappearing timer of its chat to a message. */
export type Stamp = (built: Built) => Promise<Built>

/**
 * The only place that adds the chat's timer to messages, before they are stored: a resent message has it, too. Without it,
 * the recipient's app shows that the message will not disappear and that its sender may use an old version.
 */
export function createStamp({ timers, altOf, groupOf, defaultTimer }: StampParts): Stamp {
  async function groupTimer(chat: string): Promise<ChatTimer | undefined> {
    await timers.load([chat])
    const known = timers.of([chat])
    if (known) return known
    // The send itself reports a problem with the group.
    await groupOf(chat).catch(() => undefined)
    return timers.of([chat])
  }

  async function personTimer(chat: string): Promise<ChatTimer | undefined> {
    const jids = [chat, await altOf(chat)].filter(Boolean)
    await timers.load(jids)
    return timers.of(jids) ?? newChatTimer()
  }

  /** The account's default applies only if all older chats are known; otherwise an unknown chat need not be new. */
  async function newChatTimer(): Promise<ChatTimer | undefined> {
    await timers.load([COMPLETE, DEFAULT])
    if (!timers.of([COMPLETE])) return undefined
    return timers.of([DEFAULT]) ?? (await defaultTimer())
  }

  return async (built) => {
    const { chat, relay } = built
    const isGroup = isJidGroup(chat) === true
    if (!isGroup && !isPerson(chat)) return built
    const timer = await (isGroup ? groupTimer(chat) : personTimer(chat))
    if (!timer || timer.seconds === 0) return built
    const message = withTimer(built.message, timer, isGroup)
    if (message === built.message) return built
    if (!isGroup) return { ...built, message }
    const additionalAttributes = { ...relay.additionalAttributes, expiration: String(timer.seconds) }
    return { ...built, message, relay: { ...relay, additionalAttributes } }
  }
}
