import type { Viewer } from 'wamux/plugin'

/** When this gateway handled a message that the viewer sees: milliseconds since 1970, from its tables. */
export interface MessageTimes {
  /** The message that the session sent under that id; until retention, and also without a link. */
  sent(session: string, id: string, viewer: Viewer): Promise<SentTimes | undefined>
  /** When a message with that id was first decrypted and stored. */
  received(session: string, id: string, viewer: Viewer): Promise<number | undefined>
}

export interface SentTimes {
  readonly chat: string
  readonly state: 'queued' | 'sending' | 'acked' | 'failed' | 'unknown'
  /** Its row was queued, before encryption. */
  readonly accepted: number
  /** Its frame was handed to the connection; 0 if it was not, or while the outcome is open. */
  readonly written: number
  /** Its outcome became known here; 0 before. */
  readonly ended: number
  /** The network's time of the ack, RFC 3339; '' without one. */
  readonly acked: string
  /** Why the last attempt failed or has an unknown outcome; '' if it was sent, or on the first attempt. */
  readonly error: string
  /** The code of that error; '' without one. */
  readonly errorCode: string
}
