import { Jid } from 'wamux/messaging'
import type { Sessions } from 'wamux/plugin'

/** The two forms of one person. */
export interface Person {
  /** The phone JID; the LID if the number is unknown. */
  jid: string
  lid: string
}

/** @param alt the other form, '' if unknown. */
export function personOf(jid: string, alt: string): Person {
  const forms = [jid, alt].map(Jid.bare)
  const lid = forms.find(Jid.isLid) ?? ''
  return { jid: forms.find(Jid.isPhone) ?? lid, lid }
}

/** As `personOf`, but looks up the other form if it is not given. */
export async function findPerson(
  sessions: Sessions,
  session: string,
  jid: string,
  alt?: string | null,
): Promise<Person> {
  const socket = alt ? undefined : (await sessions.byId(session))?.socket
  return personOf(jid, alt || ((await socket?.knownAlt(jid)) ?? ''))
}
