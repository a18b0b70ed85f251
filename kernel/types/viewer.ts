import type { Session } from './session.ts'

/** Who may see an event depends on its session and, by the lane, on its chat. */
export interface EventPlace {
  readonly session: string
  readonly lane: string
}

/**
 * What the caller of a request may see and act on. Every lookup of messages, files, events or chats by values from a request
 * takes one. Items that it does not see are answered like items that do not exist.
 */
export interface Viewer {
  /** `admin`, or the id of a session or a caller. */
  readonly id: string
  /** Whether it sees only certain chats. */
  readonly isLimited: boolean
  seesSession(session: Session): boolean
  /** By any address known to be the same chat. */
  seesChat(session: string, chat: string): Promise<boolean>
  seesEvent(event: EventPlace): Promise<boolean>
}
