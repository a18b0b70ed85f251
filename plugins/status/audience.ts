import { type StatusViewers, statusViewers } from 'wamux/messaging'
import { type GatewayServices, gatewayError, type LiveSession } from 'wamux/plugin'

export interface AudienceParts {
  targets: GatewayServices['targets']
  contacts?: GatewayServices['contacts'] | undefined
}

/** The audience that a client names: some people, or the contacts except some; neither for the account's status privacy. */
export interface NamedAudience {
  StatusJidList?: string[]
  ExceptJidList?: string[]
}

/**
 * The recipients of a post: those given by the client, otherwise those allowed by the account's status privacy. The own
 * JID is always included, so that the phone shows the post. Rejects FIELD_MISSING if there are no recipients.
 */
export async function audienceOf(
  session: LiveSession,
  named: NamedAudience,
  parts: AudienceParts,
): Promise<StatusViewers> {
  const { setting, jids } = await chosen(session, named, parts)
  if (jids.length === 0) throw gatewayError('FIELD_MISSING', ['StatusJidList'])
  return { setting, jids: [...new Set([session.jid, ...jids])] }
}

async function chosen(
  session: LiveSession,
  { StatusJidList: only, ExceptJidList: except }: NamedAudience,
  { targets, contacts }: AudienceParts,
): Promise<StatusViewers> {
  if (only && except)
    throw gatewayError('FIELD_INVALID', ['ExceptJidList', 'set it or StatusJidList, not both'])
  if (only) return { setting: 'allowlist', jids: await targets.resolveUsers(session, only, 'StatusJidList') }
  const known = async () => (await contacts?.all(session.id)) ?? []
  if (!except) return statusViewers(session, known)
  const hidden = await targets.resolveUsers(session, except, 'ExceptJidList')
  // Either list may name a person by phone number or by LID.
  const others = await Promise.all(hidden.map((jid) => session.socket.altJid(jid)))
  const left = new Set([...hidden, ...others])
  const jids = (await known()).map(({ jid }) => jid).filter((jid) => !left.has(jid))
  return { setting: 'denylist', jids }
}
