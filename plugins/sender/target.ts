import { Jid } from 'wamux/messaging'
import { gatewayError, type LiveSession, type NamedChat, type Session } from 'wamux/plugin'
import { findUsername, isUsername } from './username.ts'

/** Parses chats and people named by clients. */
export interface Targets {
  /** Any chat: a phone number, or a JID of a person, group, newsletter, bot or broadcast. Throws PHONE_INVALID. */
  toChat(phone: string): string
  /** A person only. Throws PHONE_INVALID. */
  toUser(phone: string): string
  /**
   * Like `toChat`, and also accepts a username (`@name`), which the network resolves. Rejects USERNAME_UNKNOWN, naming
   * `field`, by default `Phone`.
   */
  resolveChat(session: LiveSession, phone: string, field?: string): Promise<string>
  /** Like `toUser`, and also accepts a username. */
  resolveUser(session: LiveSession, phone: string, field?: string): Promise<string>
  resolveUsers(session: LiveSession, phones: readonly string[], field?: string): Promise<string[]>
  /**
   * The JID of what a field of a request names (`chatsNamed`), as the field's handler resolves it; undefined if that can't be
   * told. Rejects like the method for that kind of address.
   */
  named(
    session: Session | undefined,
    chat: Pick<NamedChat, 'field' | 'value' | 'kind'>,
  ): Promise<string | undefined>
  /** A group or community: its JID, or the bare id. Throws GROUP_INVALID. */
  toGroup(group: string): string
  /** A newsletter: its JID, or the bare id. Throws FIELD_INVALID. */
  toNewsletter(newsletter: string): string
}

const SERVERS = /^(s\.whatsapp\.net|c\.us|lid|g\.us|newsletter|broadcast|bot)$/

/**
 * `+55 (11) 99999-9999` → `5511999999999@s.whatsapp.net`; JIDs are kept, without their device. The number is not
 * corrected: the network resolves ninth digits and the like.
 */
export function toChat(phone: string): string {
  const text = phone.trim()
  return text.includes('@') ? jid(text) : Jid.ofPhone(digits(text))
}

export function toUser(phone: string): string {
  const chat = toChat(phone)
  if (!Jid.isPerson(chat)) throw gatewayError('PHONE_INVALID', [`"${phone}" is not a person`])
  return chat
}

export async function resolveChat(session: LiveSession, phone: string, field = 'Phone'): Promise<string> {
  return isUsername(phone) ? findUsername(session, phone, field) : toChat(phone)
}

export async function resolveUser(session: LiveSession, phone: string, field = 'Phone'): Promise<string> {
  return isUsername(phone) ? findUsername(session, phone, field) : toUser(phone)
}

export function resolveUsers(
  session: LiveSession,
  phones: readonly string[],
  field?: string,
): Promise<string[]> {
  return Promise.all(phones.map((phone) => resolveUser(session, phone, field)))
}

export async function named(
  session: Session | undefined,
  { field, value, kind }: Pick<NamedChat, 'field' | 'value' | 'kind'>,
): Promise<string | undefined> {
  if (typeof value !== 'string') return undefined
  if (kind === 'group') return toGroup(value)
  if (kind === 'newsletter') return toNewsletter(value)
  if (kind === 'list') return toChat(value.includes('@') ? value : Jid.ofBroadcast(value))
  if (kind === 'lid') return toChat(value.includes('@') ? value : Jid.ofLid(value))
  if (kind !== 'chat' && kind !== 'author') return undefined
  if (!isUsername(value.trim())) return toChat(value)
  return isLive(session) ? resolveChat(session, value, field) : undefined
}

function isLive(session: Session | undefined): session is LiveSession {
  return session?.socket !== undefined
}

export function toGroup(group: string): string {
  const id = group.trim().replace(/@g\.us$/, '')
  if (!/^\d+(-\d+)?$/.test(id)) throw gatewayError('GROUP_INVALID', [`"${group}" is not a group`])
  return Jid.ofGroup(id)
}

export function toNewsletter(newsletter: string): string {
  const id = newsletter.trim().replace(/@newsletter$/, '')
  if (!/^\d+$/.test(id)) throw gatewayError('FIELD_INVALID', ['JID', `"${newsletter}" is not a newsletter`])
  return Jid.ofNewsletter(id)
}

function jid(text: string): string {
  const [name = '', server = '', ...more] = text.split('@')
  const user = name.replace(/:\d+$/, '')
  const isName =
    server === 'g.us'
      ? /^\d+(-\d+)?$/.test(user)
      : server === 'broadcast'
        ? /^(status|\d+)$/.test(user)
        : /^\d+$/.test(user)
  if (more.length > 0 || !SERVERS.test(server) || !isName)
    throw gatewayError('PHONE_INVALID', [`"${text}" is not a JID`])
  return `${user}@${server === 'c.us' ? Jid.server : server}`
}

function digits(text: string): string {
  const number = text.replace(/^\+/, '').replace(/[\s().-]/g, '')
  if (/^\d{5,15}$/.test(number)) return number
  throw gatewayError('PHONE_INVALID', [`"${text}" is neither a phone number with country code nor a JID`])
}
