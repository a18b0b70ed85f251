import { type StatusViewers, statusViewers } from 'wamux/messaging'
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
): Promise<StatusViewers> {
  const { setting, jids } = named
    ? { setting: 'allowlist' as const, jids: await targets.resolveUsers(session, named, 'StatusJidList') }
    : await statusViewers(session, async () => (await contacts?.all(session.id)) ?? [])
  if (jids.length === 0) throw gatewayError('FIELD_MISSING', ['StatusJidList'])
  return { setting, jids: [...new Set([session.jid, ...jids])] }
}
