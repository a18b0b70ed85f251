import { Jid } from 'wamux/messaging'
import type { Session } from 'wamux/plugin'

/** A person or a chat, as events name it. */
export interface Ref {
  readonly jid: string
  readonly phone: string
  readonly lid: string
}

/** The phone JID where the number is known: receivers of other gateways read the number from it. */
export function phoneJidOf({ jid, phone }: Pick<Ref, 'jid' | 'phone'>): string {
  return phone ? Jid.ofPhone(phone) : jid
}

/** The phone JID of a pair of forms, of which either may be a LID and the second empty. */
export function phoneJidIn(jid: string, alt: string): string {
  return Jid.isLid(jid) && Jid.isPhone(alt) ? alt : jid
}

/** The account itself. */
export function ownRef({ jid, lid }: Pick<Session, 'jid' | 'lid'>, jidThen: string): Ref {
  const own = jidThen || jid
  return { jid: own, phone: userOf(own), lid }
}

export function isOwn(jid: string, { jid: phoneJid, lid }: Pick<Session, 'jid' | 'lid'>): boolean {
  return jid !== '' && (jid === phoneJid || jid === lid)
}

export function userOf(jid: string): string {
  return jid.split('@')[0] ?? ''
}
