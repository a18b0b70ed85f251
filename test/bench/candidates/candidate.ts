import type { Request } from '../processes/client.ts'

export type Side = 'raw' | 'wamux'

/** What is measured: a process with linked sessions that sends and receives texts. */
export interface Candidate {
  readonly side: Side
  readonly pid: number
  /** Links a session with a new phone. @param receives its texts are to reach the receiver, which raw needs no webhook for. */
  link(receives?: boolean): Promise<Session>
  /** The HTTP request that sends a text. @param to a JID. */
  text(session: Session, to: string): Request
  /** Resolves when that many texts have arrived since the start: at the webhook receiver, or in `messages.upsert`. */
  reached(count: number): Promise<void>
  end(): Promise<void>
}

export interface Session {
  /** Number of the phone that linked it. */
  phone: string
  token: string
}
