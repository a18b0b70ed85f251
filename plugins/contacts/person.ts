import { bareJid } from 'wamux/messaging'
import type { Sessions } from 'wamux/plugin'

/** The two forms of one person. */
export interface Person {
  /** The phone JID; the LID where no number is known. */
  jid: string
  lid: string
}

/** @param alt the other form, as far as it is known. */
export function personOf(jid: string, alt: string): Person {
  const forms = [jid, alt].map((one) => bareJid(one))
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
