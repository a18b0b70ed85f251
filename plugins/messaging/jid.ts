import type { Session } from 'wamux/plugin'

type Given = string | null | undefined

const ends = (server: string) => {
  const ending = `@${server}`
  return (jid: Given): boolean => jid?.endsWith(ending) ?? false
}
const of = (server: string) => (user: string | number) => `${user}@${server}`

const isPhone = ends('s.whatsapp.net')
const isLid = ends('lid')

/** Addresses on the network, `user@server`: what they name, how they are made, and their parts. */
export const Jid = {
  /** The server itself, as the recipient of a query. */
  server: 's.whatsapp.net',
  /** The server of all groups. */
  groups: '@g.us',
  /** The chat of all status posts. */
  status: 'status@broadcast',
  /** A person, by phone number. */
  isPhone,
  /** A person, by the id that hides the number. */
  isLid,
  isPerson: (jid: Given): boolean => isPhone(jid) || isLid(jid),
  isGroup: ends('g.us'),
  isNewsletter: ends('newsletter'),
  /** Status posts, or a list of recipients. */
  isBroadcast: ends('broadcast'),
  ofPhone: of('s.whatsapp.net'),
  ofLid: of('lid'),
  ofGroup: of('g.us'),
  ofNewsletter: of('newsletter'),
  ofBroadcast: of('broadcast'),
  /** `5511:3@s.whatsapp.net` → `5511@s.whatsapp.net`: without the device. */
  bare: (jid: Given): string => (jid ?? '').replace(/:\d+@/, '@'),
} as const

/**
 * The other form of a JID, phone or LID; '' if unknown. Uses only the local mapping: a query to the network would delay the
 * session's events.
 */
export async function altOf(session: Session | undefined, jid: string): Promise<string> {
  return (await session?.socket?.knownAlt(jid)) ?? ''
}

/** The phone JID of a LID, like `altOf`; '' for any other JID. */
export async function phoneOf(session: Session | undefined, jid: string): Promise<string> {
  return isLid(jid) ? altOf(session, jid) : ''
}
