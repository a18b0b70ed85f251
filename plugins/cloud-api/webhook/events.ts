import type { GatewayEvents, LogEvent, Session } from 'wamux/plugin'
import type { SessionValues } from '../config.ts'

export type Normal = GatewayEvents['Message']['message']

/** Input for the bodies besides the event. */
export interface ValueContext {
  readonly session: Session
  /** JID of the session at the time of the event. */
  readonly jid: string
  /** The form of edits and deletions. */
  readonly edits: 'native' | 'unsupported'
}

/** Kinds without a meaning for clients of the Cloud API. */
export const HIDDEN: ReadonlySet<Normal['type']> = new Set(['system', 'pin', 'album'])

/** Whether this plugin sent the message: other messages of the account are echoes. */
export function isSent({ body }: LogEvent): boolean {
  const { annotations } = body as unknown as GatewayEvents['Message']
  return annotations?.['cloud-api']?.['sent'] === true
}

/** Whether the session delivers events of the chat. */
export function isShown({ type }: Normal['chat'], { groups }: Pick<SessionValues, 'groups'>): boolean {
  return type === 'person' || (type === 'group' && groups)
}
