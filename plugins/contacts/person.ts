import type { Row, Sessions } from 'wamux/plugin'

/** The two forms of one person. */
export interface Person {
  /** The phone JID; the LID where no number is known. */
  jid: string
  lid: string
}

const KEY = ['session', 'jid'] as const

export { KEY as PERSON_KEY }

/** @param alt the other form, as far as it is known. */
export function personOf(jid: string, alt: string): Person {
  const forms = [jid, alt].map((one) => one.replace(/:\d+@/, '@'))
  const lid = forms.find((one) => one.endsWith('@lid')) ?? ''
  return { jid: forms.find((one) => one.endsWith('@s.whatsapp.net')) ?? lid, lid }
}

/** As `personOf`; looks up the number of a LID, or the LID of a number, where it is not given. */
export async function findPerson(
  sessions: Sessions,
  session: string,
  jid: string,
  alt?: string | null,
): Promise<Person> {
  const socket = alt ? undefined : (await sessions.byId(session))?.socket
  return personOf(jid, alt || ((await socket?.knownAlt(jid)) ?? ''))
}

/** Only what is known: a row keeps what it has. */
export function rowOf(session: string, { jid, lid }: Person, known: Row): Row {
  return { session, jid, ...(lid ? { lid } : {}), ...known }
}

export function isPerson(jid: string): boolean {
  return /@(s\.whatsapp\.net|lid)$/.test(jid)
}
