import type { OwnDevice } from './device/own-device.ts'
import { createDisplay, type Display } from './display/display.ts'
import { answerIn } from './messages/answers.ts'
import { createDisappearing } from './messages/disappearing.ts'
import { createRights } from './messages/rights.ts'
import { createMessages, type PhoneMessages, type Stored } from './messages/store.ts'
import { createTimers, type Timers } from './messages/timers.ts'

/** The chats of a phone: its messages, and what becomes of one that was sent or received. */
export interface PhoneChats {
  readonly messages: PhoneMessages
  readonly timers: Timers
  readonly display: Display
  /** Whether the message is refused, when it disappears, and what it answers. @param author its sender, if `from` is a device. */
  judge(
    message: Pick<Stored, 'id' | 'chat' | 'from' | 'fromMe' | 'timestamp' | 'attrs' | 'raw'>,
    author?: string,
  ): Promise<Partial<Stored>>
  show(message: Omit<Stored, 'seq' | 'message'>): void
  /** Erases what has disappeared. */
  erase(): void
}

/** @param opened ids of messages viewed once that were. */
export function createPhoneChats(own: OwnDevice, opened: ReadonlySet<string>): PhoneChats {
  const { wire, network, slot } = own
  const messages = createMessages(wire, { slot, folder: network.snapshots.folder })
  const display = createDisplay(own, messages, opened)
  const timers = createTimers(own)
  const disappearing = createDisappearing(own, messages)
  const rights = createRights(own, messages)
  return {
    messages,
    timers,
    display,
    async judge(message, author = message.from) {
      const expiry = (await rights.refuses(message)) ? { refused: true as const } : timers.take(message)
      const sources = { wire, stored: messages.all(), accountOf: network.account }
      const answer = answerIn(sources, author, message.raw)
      return { ...expiry, ...(answer ? { answer } : {}) }
    },
    show(message) {
      if (!message.refused) disappearing.take(message)
      disappearing.erase()
      display.add(messages.add(message))
    },
    erase: disappearing.erase,
  }
}
