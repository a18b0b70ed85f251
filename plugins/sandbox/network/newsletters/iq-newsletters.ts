import { child, el, seconds, text } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { AccountState, Device } from '../directory/accounts.ts'
import type { QueryHandler } from '../iq/query.ts'
import { type Refusal, refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'
import { ADMIN_INVITES } from './admin-invites.ts'
import { ADMINISTRATION } from './administration.ts'
import { DIRECTORY } from './directory.ts'
import { MAX_NAME, metadataOf, type Newsletter, type NewsletterPost } from './newsletters.ts'
import { notifyOtherDevices } from './notify.ts'
import { postNode } from './posts.ts'

/** The variables of newsletter mex queries. */
interface Variables {
  newsletter_id?: string
  input?: { key?: string; type?: string; name?: string; description?: string | null }
}

type Answer = (state: NetworkState, device: Device, variables: Variables) => unknown

/** By query id: the key of the result and the function that computes it. */
const ANSWERS: Readonly<Record<string, [path: string, answer: Answer]>> = {
  '8823471724422422': ['xwa2_newsletter_create', create],
  // The same in later versions of WhatsApp Web (whatsapp-rust).
  '25149874324715067': ['xwa2_newsletter_create', create],
  '6563316087068696': ['xwa2_newsletter', metadata],
  '6388546374527196': [
    'xwa2_newsletter_subscribed',
    (state, { account }) => state.newsletters.of(account).map((one) => metadataOf(one, account)),
  ],
  '24404358912487870': ['xwa2_newsletter_join_v2', follow],
  '9767147403369991': ['xwa2_newsletter_leave_v2', unfollow],
  '29766401636284406': ['xwa2_newsletter_mute_v2', mute(true)],
  '9864994326891137': ['xwa2_newsletter_unmute_v2', mute(false)],
  ...ADMINISTRATION,
  ...ADMIN_INVITES,
  ...DIRECTORY,
}

const LIVE_SECONDS = 300

/** Answers a mex query about newsletters; undefined for other queries. */
export function newsletterMex(...[state, device, iq]: Parameters<QueryHandler>): object | undefined {
  const query = child(iq, 'query')
  const [path = '', answer] = ANSWERS[query?.attrs['query_id'] ?? ''] ?? []
  if (!answer) return undefined
  try {
    const { variables = {} } = JSON.parse(text(query)) as { variables?: Variables }
    return { data: { [path]: answer(state, device, variables) } }
  } catch (error) {
    const { stanzaCode, message } = error as Partial<Refusal>
    if (stanzaCode === undefined) throw error
    return { data: null, errors: [{ message, extensions: { error_code: stanzaCode } }] }
  }
}

/** Posts (newest last), their changed counts, and live updates (`newsletter`). */
export const newsletters: QueryHandler = (state, device, iq) => {
  const messages = child(iq, 'messages')
  if (messages) {
    const { jid = '', count, before } = messages.attrs
    const { posts } = state.newsletters.get(jid)
    const earlier = before ? posts.filter(({ serverId }) => serverId < Number(before)) : posts
    const page = earlier.slice(-Number(count ?? 100))
    return [
      el(
        'messages',
        { jid, t: seconds() },
        page.map((post) => postNode(post, true)),
      ),
    ]
  }
  const updates = child(iq, 'message_updates')
  if (updates) return [messageUpdates(state.newsletters.get(iq.attrs['to'] ?? ''), updates)]
  if (!child(iq, 'live_updates')) throw refusal(400, 'bad-request')
  const { watchers } = state.newsletters.get(iq.attrs['to'] ?? '')
  watchers.set(device, seconds() + LIVE_SECONDS)
  return [el('live_updates', { duration: LIVE_SECONDS })]
}

/** Counts, without content, of posts with a server id above `after` that changed at or after `since`. */
function messageUpdates({ jid, posts }: Newsletter, { attrs }: Stanza): Stanza {
  const { count = '100', since = '0', after = '0' } = attrs
  const isChanged = ({ changedAt, serverId }: NewsletterPost): boolean =>
    changedAt >= Number(since) && serverId > Number(after)
  const page = posts.filter(isChanged).slice(0, Number(count))
  const messages = page.map((post) => postNode(post, false))
  return el('message_updates', {}, [el('messages', { jid, t: seconds() }, messages)])
}

/** Accepted terms of service (`tos`). */
export const terms: QueryHandler = (state, { account }, iq) => {
  if (child(iq, 'notice')?.attrs['id'] === '20601218') state.newsletters.acceptTerms(account)
  return undefined
}

function create(state: NetworkState, { account }: Device, { input }: Variables): unknown {
  if (!input?.name || input.name.length > MAX_NAME) throw refusal(400, 'the name is empty or too long')
  return metadataOf(state.newsletters.create(account, input.name, input.description ?? ''), account)
}

function metadata(state: NetworkState, { account }: Device, { input }: Variables): unknown {
  const key = input?.key ?? ''
  const found = input?.type === 'INVITE' ? state.newsletters.byInvite(key) : state.newsletters.get(key)
  return metadataOf(found, account)
}

function follow(state: NetworkState, device: Device, { newsletter_id: jid = '' }: Variables): unknown {
  const newsletter = state.newsletters.get(jid)
  const { account } = device
  if (!newsletter.followers.has(account)) {
    newsletter.followers.set(account, 'SUBSCRIBER')
    notifyOtherDevices(
      state,
      device,
      'NotificationNewsletterJoin',
      'on_join',
      metadataOf(newsletter, account),
    )
  }
  return stateOf(newsletter)
}

function unfollow(state: NetworkState, device: Device, { newsletter_id: jid = '' }: Variables): unknown {
  const newsletter = state.newsletters.get(jid)
  const role = newsletter.followers.get(device.account)
  if (!role) throw refusal(404, 'not followed')
  if (role === 'OWNER') throw refusal(403, 'an owner cannot leave')
  leave(newsletter, device.account)
  notifyOtherDevices(state, device, 'NotificationNewsletterLeave', 'on_leave', { id: jid, role })
  return stateOf(newsletter)
}

function leave({ followers, muted, watchers }: Newsletter, account: AccountState): void {
  followers.delete(account)
  muted.delete(account)
  for (const device of account.devices.values()) watchers.delete(device)
}

function mute(isMuted: boolean): Answer {
  return (state, device, { newsletter_id: jid = '' }) => {
    const newsletter = state.newsletters.get(jid)
    if (!newsletter.followers.has(device.account)) throw refusal(404, 'not followed')
    if (isMuted) newsletter.muted.add(device.account)
    else newsletter.muted.delete(device.account)
    const change = { id: jid, mute: isMuted ? 'ON' : 'OFF' }
    notifyOtherDevices(state, device, 'NotificationNewsletterUserSettingChange', 'on_mute_change', change)
    return stateOf(newsletter)
  }
}

function stateOf({ jid }: Newsletter): Record<string, unknown> {
  return { id: jid, state: { type: 'ACTIVE' } }
}
