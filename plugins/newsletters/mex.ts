import { askMex, type MexRefusal, toMexError } from 'wamux/messaging'
import { type GatewayError, gatewayError, type LiveSession } from 'wamux/plugin'

/** The network's stored queries; the ids change occasionally with its web client. */
const QUERIES = {
  create: { id: '8823471724422422', path: 'xwa2_newsletter_create' },
  metadata: { id: '6563316087068696', path: 'xwa2_newsletter' },
  subscribed: { id: '6388546374527196', path: 'xwa2_newsletter_subscribed' },
  follow: { id: '24404358912487870', path: 'xwa2_newsletter_join_v2' },
  unfollow: { id: '9767147403369991', path: 'xwa2_newsletter_leave_v2' },
  mute: { id: '29766401636284406', path: 'xwa2_newsletter_mute_v2' },
  unmute: { id: '9864994326891137', path: 'xwa2_newsletter_unmute_v2' },
  update: { id: '24250201037901610', path: 'xwa2_newsletter_update' },
  changeOwner: { id: '7341777602580933', path: 'xwa2_newsletter_change_owner' },
  demote: { id: '6551828931592903', path: 'xwa2_newsletter_demote' },
  inviteAdmin: { id: '9387141988078609', path: 'xwa2_newsletter_admin_invite_create' },
  revokeInvite: { id: '9656078347839416', path: 'xwa2_newsletter_admin_invite_revoke' },
  acceptInvite: { id: '9580828702035549', path: 'xwa2_newsletter_admin_invite_accept' },
  directory: { id: '26125047313831973', path: 'xwa2_newsletters_directory_list' },
  search: { id: '26301059626252132', path: 'xwa2_newsletters_directory_search' },
} as const

/**
 * Runs a stored query about newsletters. Baileys' wrappers fail on answers without a picture and hide the error code of a refusal
 * (Socket/newsletter.js, Socket/mex.js). Rejects ITEM_UNKNOWN without a result, and otherwise as `refusal`.
 *
 * @param verb the action, for error texts.
 */
export async function mex(
  { socket }: LiveSession,
  query: keyof typeof QUERIES,
  variables: object,
  verb: string,
): Promise<unknown> {
  const answer = await askMex(socket, QUERIES[query], variables, verb)
  if ('refusal' in answer) throw refusal(answer.refusal, verb)
  if (answer.result === undefined || answer.result === null) throw unknownNewsletter()
  return answer.result
}

/** ITEM_UNKNOWN for 404: what the network does not know is the newsletter. */
export function refusal(refused: MexRefusal, verb: string): GatewayError {
  return refused.code === 404 ? unknownNewsletter() : toMexError(refused, verb)
}

function unknownNewsletter(): GatewayError {
  return gatewayError('ITEM_UNKNOWN', ['Newsletter'])
}
