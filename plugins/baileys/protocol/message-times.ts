import type { Viewer } from 'wamux/plugin'

/** When this gateway handled a message that the viewer sees, in milliseconds since 1970, as its tables have it. */
export interface MessageTimes {
  /** The message that the session sent under that id, until retention; also while it has no link. */
  sent(session: string, id: string, viewer: Viewer): Promise<SentTimes | undefined>
  /** When a message with that id was decrypted and stored first. */
  received(session: string, id: string, viewer: Viewer): Promise<number | undefined>
}

export interface SentTimes {
  readonly chat: string
  readonly state: 'queued' | 'sending' | 'acked' | 'failed' | 'unknown'
  /** Its row was queued, before the encryption. */
  readonly accepted: number
  /** Its frame was handed to the connection; 0 if it was not, or before its outcome is known. */
  readonly written: number
  /** Its outcome was known here; 0 before. */
  readonly ended: number
  /** The network's time of its ack, RFC 3339; '' without one. */
  readonly acked: string
  /** Why the last attempt failed, or its outcome is unknown; '' if it was sent, or was attempted once only. */
  readonly error: string
  /** The code of that error, '' without one. */
  readonly errorCode: string
}
