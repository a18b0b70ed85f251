import type { Session } from 'wamux/plugin'

/**
 * The other form of a JID, phone or LID; '' if unknown. From the local mapping only: a query to the network would delay
 * the events of the session.
 */
export async function altOf(session: Session | undefined, jid: string): Promise<string> {
  return (await session?.socket?.knownAlt(jid)) ?? ''
}

/** The phone JID of a LID, as `altOf`; '' for any other JID. */
export async function phoneOf(session: Session | undefined, jid: string): Promise<string> {
  return jid.endsWith('@lid') ? altOf(session, jid) : ''
}
