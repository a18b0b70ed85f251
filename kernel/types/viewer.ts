import type { Session } from './session.ts'

/** What decides who may see an event: its session and, by the lane, its chat. */
export interface EventPlace {
  readonly session: string
  readonly lane: string
}

/**
 * What the caller of a request may see, and so may act on. Everything that is looked up by what a request says takes one:
 * messages, files, events, chats. What it does not see is answered as what does not exist.
 */
export interface Viewer {
  /** `admin`, or the id of a session or a caller. */
  readonly id: string
  /** Whether it sees certain chats alone. */
  readonly isLimited: boolean
  seesSession(session: Session): boolean
  /** By any form of its address that is known to be the same chat. */
  seesChat(session: string, chat: string): Promise<boolean>
  seesEvent(event: EventPlace): Promise<boolean>
}
