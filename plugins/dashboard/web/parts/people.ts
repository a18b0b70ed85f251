import { signal } from '@preact/signals'
import { api, of } from '../api.ts'
import { contactName, phoneIn } from './person.ts'

interface Person {
  /** As the account saved it, or else as the person chose it; '' when unknown. */
  readonly name: string
  /** '' when unknown. */
  readonly phone: string
}

/** Also with the number of a device, which is left out. */
const PERSON = /(?<![\w:.])(\d{1,20})(?::\d{1,5})?@(lid|s\.whatsapp\.net)\b/g
/** The interface looks up so many at once. */
const AT_ONCE = 50
/** Kept, and waiting to be looked up; those of fast lists that are no longer seen are left out. */
const MAX_KNOWN = 5_000
const MAX_WAITING = 300
const PAUSE_MS = 150
const LINKED_MS = 30_000

/** By session and JID; one who was looked up in vain has neither name nor number. */
const known = signal<ReadonlyMap<string, Person>>(new Map())
const waiting = new Map<string, { session: string; jid: string }>()
let isLooking = false
/** A login without the right to read contacts is not asked again. */
let isRefused = false
let linked: { readonly at: number; readonly ids: ReadonlySet<string> } = { at: 0, ids: new Set() }

const keyOf = (session: string, jid: string): string => `${session} ${jid}`

/**
 * A text with names and numbers in place of the JIDs and LIDs of people in it, as far as the gateway knows them. It looks them up;
 * the component is rendered again when they are known.
 */
export function withNames(session: string, text: string): string {
  return text.includes('@')
    ? text.replace(PERSON, (_, user, server) => labelOf(session, `${user}@${server}`))
    : text
}

/** Name and number of a person, or else the JID. */
function labelOf(session: string, jid: string): string {
  const person = known.value.get(keyOf(session, jid))
  if (!person) want(session, jid)
  return [person?.name, person?.phone || phoneIn(jid)].filter(Boolean).join(' · ') || jid
}

/** Resolves when the people in the text were looked up. */
export async function lookUpIn(session: string, text: string): Promise<void> {
  const all = new Set([...text.matchAll(PERSON)].map(([, user, server]) => `${user}@${server}`))
  const jids = [...all].filter((jid) => !known.value.has(keyOf(session, jid)))
  if (jids.length > 0) await read(session, jids.slice(0, AT_ONCE))
}

function want(session: string, jid: string): void {
  if (!session || isRefused || waiting.size >= MAX_WAITING) return
  waiting.set(keyOf(session, jid), { session, jid })
  if (isLooking) return
  isLooking = true
  setTimeout(() => void lookUp(), PAUSE_MS)
}

/** One session after the other: the screen needs the connections itself. */
async function lookUp(): Promise<void> {
  while (waiting.size > 0 && !isRefused) {
    const [first] = waiting.values()
    if (!first) break
    const { session } = first
    const jids = [...waiting.values()].filter((one) => one.session === session).map(({ jid }) => jid)
    for (const jid of jids.slice(0, AT_ONCE)) waiting.delete(keyOf(session, jid))
    await read(session, jids.slice(0, AT_ONCE))
  }
  waiting.clear()
  isLooking = false
}

async function read(session: string, jids: readonly string[]): Promise<void> {
  const people = new Map(known.value.size > MAX_KNOWN ? [] : known.value)
  for (const jid of jids) people.set(keyOf(session, jid), { name: '', phone: '' })
  try {
    if (await isLinked(session)) {
      const contacts = await api.get('/user/contacts', { People: jids.join(',') }, of(session))
      for (const [jid, contact] of Object.entries(contacts)) {
        const person = { name: contactName(contact), phone: phoneIn(jid) }
        for (const form of [jid, contact.LID]) if (form) people.set(keyOf(session, form), person)
      }
    }
  } catch (error) {
    isRefused = (error as { code?: unknown }).code === 403
  }
  known.value = people
}

/** Contacts are read only of sessions that are linked. */
async function isLinked(session: string): Promise<boolean> {
  if (Date.now() - linked.at > LINKED_MS) {
    const { Sessions } = await api.get('/session/summary')
    linked = { at: Date.now(), ids: new Set(Sessions.filter(({ LoggedIn }) => LoggedIn).map(({ Id }) => Id)) }
  }
  return linked.ids.has(session)
}
