import { Jid } from 'wamux/messaging'
import { type GatewayServices, type LiveSession, T } from 'wamux/plugin'

/** The owner of a profile or catalogue. */
export const BusinessJid = T.Optional(
  T.String({
    minLength: 1,
    format: 'phone',
    aliases: ['Phone', 'Number', 'Chat'],
    description: 'Phone number or JID of a business; your own when absent',
  }),
)

/** Businesses are identified by phone number: a LID is translated if its number is known. */
export async function toBusiness(
  session: LiveSession,
  { resolveUser }: GatewayServices['targets'],
  given: string | undefined,
): Promise<string> {
  if (given === undefined) return session.jid
  const jid = await resolveUser(session, given, 'jid')
  return Jid.isLid(jid) ? (await session.socket.altJid(jid)) || jid : jid
}
