import { children, networkCodeOf } from 'wamux/messaging'
import { type GatewayServices, gatewayError, type LiveSession } from 'wamux/plugin'

export interface AudienceParts {
  targets: GatewayServices['targets']
  contacts?: GatewayServices['contacts'] | undefined
}

/**
 * The recipients of a post: those given by the client, otherwise those allowed by the account's status privacy. The own
 * JID is always included, so that the phone shows the post. Rejects FIELD_MISSING if there are no recipients.
 */
export async function audienceOf(
  session: LiveSession,
  named: readonly string[] | undefined,
  { targets, contacts }: AudienceParts,
): Promise<string[]> {
  const viewers = named
    ? await targets.resolveUsers(session, named, 'StatusJidList')
    : await chosen(session, contacts)
  if (viewers.length === 0) throw gatewayError('FIELD_MISSING', ['StatusJidList'])
  return [...new Set([session.jid, ...viewers])]
}

async function chosen(session: LiveSession, contacts: AudienceParts['contacts']): Promise<string[]> {
  const { type, users } = await privacyOf(session)
  if (type === 'whitelist') return users
  const known = ((await contacts?.all(session.id)) ?? []).map(({ jid }) => jid)
  if (type !== 'blacklist') return known
  // Either list may name a person by phone number or by LID.
  const others = await Promise.all(users.map((jid) => session.socket.altJid(jid)))
  const hidden = new Set([...users, ...others])
  return known.filter((jid) => !hidden.has(jid))
}

async function privacyOf(session: LiveSession): Promise<{ type: string; users: string[] }> {
  const attrs = { xmlns: 'status', type: 'get', to: 's.whatsapp.net' }
  const content = [{ tag: 'privacy', attrs: {} }]
  const reply = await session.socket
    .query({ tag: 'iq', attrs, content }, 'read the status privacy')
    .catch((error: unknown) => {
      // An account that never changed the setting has no list on the network.
      if (networkCodeOf(error) === 404) return undefined
      throw error
    })
  const lists = children(children(reply, 'privacy')[0], 'list')
  const list = lists.find(({ attrs: { default: isDefault } }) => isDefault === 'true') ?? lists[0]
  const users = children(list, 'user').map((user) => user.attrs['jid'] ?? '')
  return { type: list?.attrs['type'] ?? 'contacts', users }
}
