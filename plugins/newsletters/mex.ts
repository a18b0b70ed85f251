import { child, textOf } from 'wamux/messaging'
import { type ErrorCode, type GatewayError, gatewayError, type LiveSession } from 'wamux/plugin'

/** The network's stored queries; the ids change occasionally with its web client. */
const QUERIES = {
  create: ['8823471724422422', 'xwa2_newsletter_create'],
  metadata: ['6563316087068696', 'xwa2_newsletter'],
  subscribed: ['6388546374527196', 'xwa2_newsletter_subscribed'],
  follow: ['24404358912487870', 'xwa2_newsletter_join_v2'],
  unfollow: ['9767147403369991', 'xwa2_newsletter_leave_v2'],
  mute: ['29766401636284406', 'xwa2_newsletter_mute_v2'],
  unmute: ['9864994326891137', 'xwa2_newsletter_unmute_v2'],
  update: ['24250201037901610', 'xwa2_newsletter_update'],
  changeOwner: ['7341777602580933', 'xwa2_newsletter_change_owner'],
  demote: ['6551828931592903', 'xwa2_newsletter_demote'],
  inviteAdmin: ['9387141988078609', 'xwa2_newsletter_admin_invite_create'],
  revokeInvite: ['9656078347839416', 'xwa2_newsletter_admin_invite_revoke'],
  acceptInvite: ['9580828702035549', 'xwa2_newsletter_admin_invite_accept'],
  directory: ['26125047313831973', 'xwa2_newsletters_directory_list'],
  search: ['26301059626252132', 'xwa2_newsletters_directory_search'],
} as const

interface MexAnswer {
  data?: Record<string, unknown> | null
  errors?: { message?: string; extensions?: { error_code?: number } }[]
}

/**
 * Runs a stored query. Baileys' wrappers fail on answers without a picture and hide the error code of a refusal
 * (Socket/newsletter.js, Socket/mex.js), so the answer is parsed here.
 *
 * @param verb the action, for error texts.
 */
export async function mex(
  session: LiveSession,
  query: keyof typeof QUERIES,
  variables: object,
  verb: string,
): Promise<unknown> {
  const [id, path] = QUERIES[query]
  const content = Buffer.from(JSON.stringify({ variables }))
  const reply = await session.socket.query(
    {
      tag: 'iq',
      attrs: { to: 's.whatsapp.net', type: 'get', xmlns: 'w:mex' },
      content: [{ tag: 'query', attrs: { query_id: id }, content }],
    },
    verb,
  )
  const { data, errors = [] } = read(textOf(child(reply, 'result')), verb)
  const [error] = errors
  if (error) throw refusal(error.extensions?.error_code ?? 0, error.message ?? 'no reason given', verb)
  const found = data?.[path]
  if (found === undefined || found === null) throw gatewayError('ITEM_UNKNOWN', ['Newsletter'])
  return found
}

function read(answer: string, verb: string): MexAnswer {
  try {
    return JSON.parse(answer) as MexAnswer
  } catch (cause) {
    throw gatewayError('NETWORK_FAILED', [verb, 'the answer is unreadable'], { cause })
  }
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  401: 'NETWORK_FORBIDDEN',
  403: 'NETWORK_FORBIDDEN',
  404: 'ITEM_UNKNOWN',
  429: 'NETWORK_LIMITED',
}

export function refusal(code: number, message: string, verb: string): GatewayError {
  const known = CODES[code]
  if (known === 'ITEM_UNKNOWN') return gatewayError(known, ['Newsletter'])
  const said = code ? `${message} (${code})` : message
  return known ? gatewayError(known, [said]) : gatewayError('NETWORK_FAILED', [verb, said])
}
