import { EDIT_WINDOW_SECONDS } from 'wamux/messaging'
import type { GatewayEvents, LogEvent, Vault } from 'wamux/plugin'

export type LoggedMessage = GatewayEvents['Message']['message']

/** `message` and `undecryptable` are shown as entries, the others change a message. */
type Kind = 'message' | 'undecryptable' | 'edit' | 'revoke' | 'reaction'

/** The meaning of a log line for its chat. */
export interface Entry {
  readonly kind: Kind
  readonly message: LoggedMessage
  /** Id of the message, or of the message that a change applies to. */
  readonly target: string
}

const CHANGES: readonly string[] = ['edit', 'revoke', 'reaction']
/** Types that are neither messages nor visible changes. */
const LEFT_OUT: readonly string[] = ['system', 'vote', 'pin']
/** `Info.Edit` of an edited post, which has the post's id, and of a message revoked by a group admin. */
const POST_EDIT = '3'
const ADMIN_REVOKE = '8'

/** undefined for a line that does not belong to a chat. */
export function entryOf({ type, body }: Pick<LogEvent, 'type' | 'body'>): Entry | undefined {
  const message = body['message'] as LoggedMessage | undefined
  if (!message || message.refused || message.chat.type === 'status' || LEFT_OUT.includes(message.type))
    return undefined
  const isChange = CHANGES.includes(message.type)
  if (isChange && !message.targetId) return undefined
  const target = isChange ? (message.targetId ?? '') : message.id
  if (type === 'UndecryptableMessage')
    return isHidden(body) ? undefined : { kind: 'undecryptable', message, target }
  const kind = isChange ? (message.type as Kind) : editOf(body) === POST_EDIT ? 'edit' : 'message'
  return { kind, message, target }
}

/** Whether nothing is shown in its place: it was to change or answer another message, or apps show nothing of its kind. */
function isHidden(body: Record<string, unknown>): boolean {
  return (body['event'] as { DecryptFailMode?: string }).DecryptFailMode === 'hide'
}

const ALWAYS_EDITABLE: readonly string[] = ['poll', 'event']

/** Whether it is an edit that comes too late. */
export function isLate(
  { kind, message: change }: Entry,
  line: Pick<LogEvent, 'body'>,
  message: LoggedMessage,
): boolean {
  if (kind !== 'edit' || editOf(line.body) === POST_EDIT || message.chat.type === 'newsletter') return false
  const since = Date.parse(change.time) - Date.parse(message.time)
  return since >= EDIT_WINDOW_SECONDS * 1000 && !ALWAYS_EDITABLE.includes(message.type)
}

/** Whether the author may make the change: only a group admin revokes messages of others. */
export function isAllowed(
  { kind, message: change }: Entry,
  line: Pick<LogEvent, 'body'>,
  message: LoggedMessage,
): boolean {
  if (kind === 'reaction' || isSameAuthor(change, message)) return true
  return kind === 'revoke' && change.chat.isGroup && editOf(line.body) === ADMIN_REVOKE
}

/** People may be named by phone number in one message and by LID in the other. */
export function isSameAuthor(a: LoggedMessage, b: LoggedMessage): boolean {
  if (a.isFromMe || b.isFromMe) return a.isFromMe === b.isFromMe
  return (['jid', 'lid', 'phone'] as const).some(
    (form) => a.from[form] !== '' && a.from[form] === b.from[form],
  )
}

function editOf(body: Record<string, unknown>): string {
  const { Info } = body['event'] as { Info?: { Edit?: string } }
  return Info?.Edit ?? ''
}

/** The key for finding a message, whose id is not stored in clear. */
export function idIndex(vault: Vault, session: string, id: string): string {
  return vault.index(session, 'chat_log_messages/target', id)
}
