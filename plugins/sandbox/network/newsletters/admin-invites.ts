import { seconds } from '../../stanza.ts'
import type { AccountState, Device } from '../directory/accounts.ts'
import { refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'
import type { Newsletter } from './newsletters.ts'
import { notifyFollowers } from './notify.ts'

interface Variables {
  newsletter_id?: string
  user_id?: string
}

type Answer = (state: NetworkState, device: Device, variables: Variables) => unknown

const VALID_SECONDS = 7 * 86_400

/**
 * Invitations to administer a newsletter, by query id (WA Web WAWebMexCreateNewsletterAdminInviteJob and its like). Their
 * times and refusals are not known [?].
 */
export const ADMIN_INVITES: Readonly<Record<string, [path: string, answer: Answer]>> = {
  '9387141988078609': ['xwa2_newsletter_admin_invite_create', create],
  '9656078347839416': ['xwa2_newsletter_admin_invite_revoke', revoke],
  '9580828702035549': ['xwa2_newsletter_admin_invite_accept', accept],
}

function create(state: NetworkState, device: Device, { newsletter_id, user_id }: Variables): unknown {
  const newsletter = owned(state, device, newsletter_id)
  const person = personOf(state, user_id)
  const role = newsletter.followers.get(person)
  if (role === 'OWNER' || role === 'ADMIN') throw refusal(409, 'is an admin')
  const until = seconds() + VALID_SECONDS
  newsletter.invited.set(person, until)
  return { id: newsletter.jid, invite_expiration_time: String(until) }
}

function revoke(state: NetworkState, device: Device, { newsletter_id, user_id }: Variables): unknown {
  const newsletter = owned(state, device, newsletter_id)
  if (!newsletter.invited.delete(personOf(state, user_id))) throw refusal(404, 'not invited')
  return { id: newsletter.jid }
}

/** Who accepts follows it as well. */
function accept(state: NetworkState, device: Device, { newsletter_id = '' }: Variables): unknown {
  const newsletter = state.newsletters.get(newsletter_id)
  const { account } = device
  const until = newsletter.invited.get(account)
  if (until === undefined) throw refusal(404, 'not invited')
  if (until < seconds()) throw refusal(410, 'the invitation has expired')
  newsletter.invited.delete(account)
  newsletter.followers.set(account, 'ADMIN')
  const operation = 'NotificationNewsletterAdminPromote'
  const body = { user: { id: account.lid } }
  notifyFollowers(state, newsletter, device, {
    operation,
    what: 'admin_promote',
    body,
    update: { user: account.lid },
  })
  return { id: newsletter.jid }
}

function owned(state: NetworkState, { account }: Device, jid: string | undefined): Newsletter {
  const newsletter = state.newsletters.get(jid ?? '')
  if (newsletter.followers.get(account) !== 'OWNER') throw refusal(403, 'forbidden')
  return newsletter
}

function personOf({ directory }: NetworkState, jid: string | undefined): AccountState {
  const person = directory.find(jid ?? '')
  if (!person) throw refusal(404, 'not on the network')
  return person
}
