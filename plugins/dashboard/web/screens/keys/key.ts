import { api, of } from '../../api.ts'
import type { Option } from '../../forms/combobox.tsx'
import type { Tone } from '../../parts/badge.tsx'
import { contactName } from '../../parts/person.ts'
import { t } from '../../text.ts'

export const SCOPES = ['read', 'send', 'manage', 'admin'] as const
export type KeyScope = (typeof SCOPES)[number]

export const readKeys = () => api.get('/keys')
export type ListedKey = Awaited<ReturnType<typeof readKeys>>['Keys'][number]

/** A session, as far as keys are for it. */
export interface KeySession {
  readonly id: string
  readonly name: string
  /** `customer:acme` */
  readonly labels: readonly string[]
  /** Whether it is connected: only then its contacts and groups can be read. */
  readonly isOpen: boolean
}

export function toKeySession({ Id, Name, Labels, State }: SessionFacts): KeySession {
  const labels = Object.entries(Labels).map(([name, value]) => `${name}:${value}`)
  return { id: Id, name: Name, labels, isOpen: State === 'open' }
}

interface SessionFacts {
  readonly Id: string
  readonly Name: string
  readonly Labels: Readonly<Record<string, string>>
  readonly State: string
}

export async function readSessions(): Promise<readonly KeySession[]> {
  return (await api.get('/session/summary')).Sessions.map(toKeySession)
}

/** Whether a key may act for a session: it names it, or a label of it, or is for all. */
export const isFor = (
  { AllSessions, Sessions, Label }: ListedKey,
  { id, labels }: Pick<KeySession, 'id' | 'labels'>,
): boolean => AllSessions || Sessions.includes(id) || labels.includes(Label)

const NOTICE_MS = 7 * 86_400_000

/** Whether a key has expired or will soon; the same rule as for the gateway's issues. */
export function expiryOf(
  { CreatedAt, ExpiresAt }: Pick<ListedKey, 'CreatedAt' | 'ExpiresAt'>,
  now = Date.now(),
): { tone: Tone; text: string } | undefined {
  if (!ExpiresAt) return undefined
  const end = Date.parse(ExpiresAt)
  if (end <= now) return { tone: 'bad', text: t('keys.expired') }
  const notice = Math.min(NOTICE_MS, (end - Date.parse(CreatedAt)) / 4)
  return end - notice <= now ? { tone: 'warn', text: t('keys.expiresSoon') } : undefined
}

/** The contacts and groups of a session, to choose from; what can't be read is left out, since a number can be typed. */
export async function readChats(session: string): Promise<readonly Option[]> {
  const [contacts, groups] = await Promise.all([
    api.get('/user/contacts', undefined, of(session)).catch(() => ({})),
    api.get('/group/list', undefined, of(session)).catch(() => ({ Groups: [] })),
  ])
  const people = Object.entries(contacts).map(([jid, contact]) => {
    const number = shortOf(jid)
    const name = contactName(contact)
    return { value: jid, title: name || number, detail: name ? number : '' }
  })
  const named = groups.Groups.map(({ JID, Name }) => ({
    value: JID,
    title: Name || shortOf(JID),
    detail: t('keys.group'),
  }))
  return [...people, ...named].sort((a, b) => collator.compare(a.title, b.title))
}

const collator = new Intl.Collator()
const PHONE = /^\+?[\d\s().-]{7,24}$/

/** A number, JID or username that is no contact. */
export function toChat(text: string): Option | undefined {
  if (PHONE.test(text)) {
    const number = text.replace(/\D/g, '')
    return { value: number, title: number, detail: t('keys.number') }
  }
  if (text.startsWith('@') && text.length > 2) return { value: text, title: text, detail: t('keys.username') }
  return /^[\w.:-]+@[\w.]+$/.test(text) ? { value: text, title: shortOf(text), detail: text } : undefined
}

/** The number of an address; other addresses stay whole. */
export const shortOf = (jid: string): string => jid.replace(/@s\.whatsapp\.net$/, '')
