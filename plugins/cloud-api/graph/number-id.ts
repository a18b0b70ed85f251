import { type GatewayServices, gatewayError, type Session, type Sessions } from 'wamux/plugin'

/**
 * The id of a phone number and of its WhatsApp Business Account, which are the same here: the digits of the number, or the
 * id of the session until it is linked.
 */
export function numberIdOf({ jid, id }: Pick<Session, 'jid' | 'id'>): string {
  return phoneOf(jid) || id
}

/** The digits of a phone JID; '' for any other. */
export function phoneOf(jid: string): string {
  return /^(\d+)(?::\d+)?@s\.whatsapp\.net$/.exec(jid)?.[1] ?? ''
}

/** The session's id is accepted too. */
export function isNumberId(session: Pick<Session, 'jid' | 'id'>, id: string): boolean {
  return id === session.id || id === numberIdOf(session)
}

/** Throws CLOUD_OBJECT_UNKNOWN for the number of another session. */
function assertNumberId(session: Pick<Session, 'jid' | 'id'>, id: string | undefined): void {
  if (!isNumberId(session, id ?? '')) throw gatewayError('CLOUD_OBJECT_UNKNOWN', [id])
}

/** If several sessions have the number, the linked one. */
export async function findByNumberId(sessions: Sessions, id: string): Promise<Session | undefined> {
  const known = await sessions.byId(id)
  if (known || !/^\d{5,15}$/.test(id)) return known
  const same = (await sessions.list()).filter((session) => phoneOf(session.jid) === id)
  return same.find(({ loggedIn }) => loggedIn) ?? same[0]
}

/** Throws CLOUD_OBJECT_UNKNOWN if the path names another number, or the session has the dialect switched off. */
export function assertOwn(
  session: Session,
  id: string | undefined,
  sessionSettings: GatewayServices['sessionSettings'],
): void {
  assertNumberId(session, id)
  if (!sessionSettings.isOn(session.id, 'cloud-api')) throw gatewayError('CLOUD_OBJECT_UNKNOWN', [id])
}
