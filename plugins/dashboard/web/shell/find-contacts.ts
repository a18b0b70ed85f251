import { api, of, offers } from '../api.ts'
import { fitting, plain } from '../forms/fitting.ts'
import { contactName, phoneIn } from '../parts/person.ts'
import { t } from '../text.ts'
import { type Find, type FoundItem, nameOf } from './find.ts'
import { to } from './navigate.ts'

/** Somebody, or a group, as a session knows it. */
interface Contact {
  readonly name: string
  readonly phone: string
  readonly href: string
  readonly session: FoundItem
}

/** Bounds of what one palette asks for: sessions, how many at once, and the most recent chats of each. */
const SESSIONS = 20
const AT_ONCE = 4
const CHATS = 200
const SHOWN = 8
const MIN_LETTERS = 2
/** Words of the shortest question. */
const QUESTION = 3

/** Whether contacts are looked for: a name has letters. */
export function isName(text: string): boolean {
  return (text.match(/\p{L}/gu)?.length ?? 0) >= MIN_LETTERS
}

/** The named contacts of the linked sessions; a session that can't be asked has none. */
export async function readContacts(
  sessions: readonly FoundItem[],
  signal: AbortSignal,
): Promise<readonly Contact[]> {
  const waiting = sessions.filter(({ JID }) => JID).slice(0, SESSIONS)
  const found: Contact[] = []
  const read = offers('chats') ? ofChats : ofContacts
  const work = async (): Promise<void> => {
    for (let session = waiting.shift(); session && !signal.aborted; session = waiting.shift())
      found.push(...(await read(session).catch(() => [])))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return found.filter(({ name }) => name)
}

/** Those whose name has all words, or else a word of whose name is in the question, with the session's name. */
export function findContacts(text: string, contacts: readonly Contact[]): Find[] {
  if (!isName(text)) return []
  const fits = fitting(text)
  const named = contacts.filter(({ name }) => fits([name]))
  return (named.length > 0 ? named : contacts.filter(({ name }) => isAskedFor(name, text)))
    .slice(0, SHOWN)
    .map(({ name, phone, href, session }) => ({
      title: name,
      detail: [t('palette.contact'), nameOf(session), phone].filter(Boolean).join(' · '),
      href,
    }))
}

/** "Did Ana's message arrive?" asks for Ana. */
function isAskedFor(name: string, question: string): boolean {
  const asked = wordsOf(question)
  return asked.length >= QUESTION && wordsOf(name).some((word) => word.length > 2 && asked.includes(word))
}

const wordsOf = (text: string): string[] =>
  plain(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

async function ofChats(session: FoundItem): Promise<Contact[]> {
  const { Chats } = await api.get('/chats', { limit: String(CHATS) }, of(session.Id))
  return Chats.map(({ Name: name, Phone: phone, JID: chat }) => ({
    name,
    phone,
    href: to(`/chats?${new URLSearchParams({ session: session.Id, chat })}`),
    session,
  }))
}

/** Where chats can't be read, a contact leads to its events. */
async function ofContacts(session: FoundItem): Promise<Contact[]> {
  const contacts = await api.get('/user/contacts', undefined, of(session.Id))
  return Object.entries(contacts).map(([jid, contact]) => {
    const phone = phoneIn(jid)
    return {
      name: contactName(contact),
      phone,
      href: to(`/events?${new URLSearchParams({ session: session.Id, chat: phone || jid })}`),
      session,
    }
  })
}
