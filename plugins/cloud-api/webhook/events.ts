import type { GatewayEvents, LogEvent, Session } from 'wamux/plugin'
import type { SessionValues } from '../config.ts'

export type Normal = GatewayEvents['Message']['message']

/** What bodies are made for, besides the event. */
export interface About {
  readonly session: Session
  /** JID of the session at the time of the event. */
  readonly jid: string
  /** What an edit or a deletion becomes. */
  readonly edits: 'native' | 'unsupported'
}

/** Kinds that are nothing to a client of the Cloud API. */
export const HIDDEN: ReadonlySet<Normal['type']> = new Set(['system', 'pin', 'album'])

/** Whether this plugin sent the message: others of the account are echoes. */
export function isSent({ body }: LogEvent): boolean {
  const { annotations } = body as unknown as GatewayEvents['Message']
  return annotations?.['cloud-api']?.['sent'] === true
}

/** Whether the session delivers what happens in the chat. */
export function isShown({ type }: Normal['chat'], { groups }: Pick<SessionValues, 'groups'>): boolean {
  return type === 'person' || (type === 'group' && groups)
}
