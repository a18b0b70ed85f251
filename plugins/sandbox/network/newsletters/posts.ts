import { optionHash, optionsIn } from '../../poll-options.ts'
import { bytes, child, children, el, seconds } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { AccountState, Device } from '../directory/accounts.ts'
import { type Refusal, refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'
import { countReactions, countVotes, type Newsletter, type NewsletterPost } from './newsletters.ts'

/** Values of `edit`: the stanza carries a post's id with new content, or revokes the post. */
const EDIT = '3'
const REVOKE = '8'

/** Acknowledges or refuses a post, a reaction or a vote in a newsletter, and delivers posts. */
export function handlePost(state: NetworkState, sender: Device, message: Stanza): void {
  const { to = '', id = '' } = message.attrs
  const acknowledge = (attrs: { error?: string; server_id?: number }): void => {
    if (attrs.error) state.counters.refused += 1
    else state.counters.acks += 1
    const ack = el('ack', { class: 'message', id, from: to, t: seconds(), ...attrs })
    state.faults.delay(sender, () => sender.link?.send(ack))
  }
  const refused = state.faults.refusal(sender.account)
  if (refused) return acknowledge({ error: refused })
  try {
    const newsletter = state.newsletters.get(to)
    const answer = answerOf(message)
    if (answer) {
      const post = postOf(newsletter, message.attrs['server_id'])
      answer(state, post, sender.account, message)
      post.changedAt = seconds()
      acknowledge({ server_id: post.serverId })
      return notifyWatchers(state, newsletter, post)
    }
    const post = changeOf(message)(state, newsletter, sender, message)
    acknowledge({ server_id: post.serverId })
  } catch (error) {
    const { stanzaCode } = error as Partial<Refusal>
    if (stanzaCode === undefined) throw error
    acknowledge({ error: String(stanzaCode) })
  }
}

/** Counts the views of posts, once per account. */
export function handleViews(state: NetworkState, device: Device, receipt: Stanza): void {
  const newsletter = state.newsletters.find(receipt.attrs['to'] ?? '')
  const seen = children(child(receipt, 'list'), 'item').map(({ attrs }) => attrs['server_id'])
  for (const post of newsletter?.posts ?? []) {
    if (!newsletter || !seen.includes(String(post.serverId)) || post.viewers.has(device.account)) continue
    post.viewers.add(device.account)
    post.changedAt = seconds()
    notifyWatchers(state, newsletter, post)
  }
}

/** One post as it appears in query results and live updates. */
export function postNode(post: NewsletterPost, isWhole: boolean): Stanza {
  const { id, serverId, type, time, plain } = post
  const counts = countReactions(post)
  const votes = [...countVotes(post)].map(([name, count]) => el('vote', { count }, optionHash(name)))
  return el('message', { id, server_id: serverId, type, t: time }, [
    ...(isWhole ? [el('plaintext', {}, plain)] : []),
    el('views_count', { count: post.viewers.size }),
    el(
      'reactions',
      {},
      [...counts].map(([code, count]) => el('reaction', { code, count })),
    ),
    ...(votes.length > 0 ? [el('votes', {}, votes)] : []),
  ])
}

/** What followers do with a post, which names it by `server_id`; undefined for what admins do. */
function answerOf(message: Stanza): typeof vote | undefined {
  if (message.attrs['type'] === 'reaction') return react
  return child(message, 'votes') ? vote : undefined
}

function changeOf({ attrs }: Stanza): typeof publish {
  if (attrs['edit'] === EDIT) return edit
  return attrs['edit'] === REVOKE ? revoke : publish
}

function publish(
  state: NetworkState,
  newsletter: Newsletter,
  sender: Device,
  message: Stanza,
): NewsletterPost {
  const { id = '', type = 'text', media_id: mediaId } = message.attrs
  assertAdmin(newsletter, sender.account)
  const repeated = newsletter.posts.find((post) => post.id === id)
  if (repeated) {
    state.counters.duplicates += 1
    return repeated
  }
  const plain = contentOf(state, message)
  // Newsletter files are not encrypted; a post must reference the upload that the media host verified.
  if (hasFile(state, plain) && !(mediaId && state.media.isUpload(mediaId))) throw refusal(479, 'media_id')
  state.counters.messages += 1
  newsletter.lastServerId += 1
  const serverId = newsletter.lastServerId
  const post: NewsletterPost = {
    id,
    serverId,
    type,
    time: seconds(),
    changedAt: seconds(),
    plain,
    mediaId,
    viewers: new Set(),
    reactions: new Map(),
  }
  newsletter.posts.push(post)
  deliverPost(state, newsletter, sender, post, { t: post.time }, pollMetaOf(message))
  return post
}

/** Followers are told what kind of poll the sender says it is. */
function pollMetaOf(message: Stanza): Stanza[] {
  const polltype = child(message, 'meta')?.attrs['polltype']
  return polltype ? [el('meta', { polltype })] : []
}

function edit(state: NetworkState, newsletter: Newsletter, sender: Device, message: Stanza): NewsletterPost {
  const post = ownPost(newsletter, sender, message)
  post.plain = contentOf(state, message)
  post.changedAt = seconds()
  const meta = el('meta', { msg_edit_t: Date.now(), original_msg_t: post.time })
  deliverPost(state, newsletter, sender, post, { t: seconds(), edit: EDIT }, [meta])
  return post
}

/** Delivers the post's id with empty content. */
function revoke(
  state: NetworkState,
  newsletter: Newsletter,
  sender: Device,
  message: Stanza,
): NewsletterPost {
  const post = ownPost(newsletter, sender, message)
  newsletter.posts.splice(newsletter.posts.indexOf(post), 1)
  const empty = { ...post, type: 'text', plain: Buffer.alloc(0) }
  deliverPost(state, newsletter, sender, empty, { t: seconds(), edit: REVOKE }, [])
  return post
}

function ownPost(newsletter: Newsletter, sender: Device, { attrs }: Stanza): NewsletterPost {
  assertAdmin(newsletter, sender.account)
  const post = newsletter.posts.find(({ id }) => id === attrs['id'])
  if (!post) throw refusal(404, 'item-not-found')
  return post
}

function assertAdmin({ followers }: Newsletter, account: AccountState): void {
  const role = followers.get(account)
  if (role !== 'OWNER' && role !== 'ADMIN') throw refusal(403, 'forbidden')
}

/** Delivers a post to all followers and to the sender's other devices. */
function deliverPost(
  state: NetworkState,
  { jid, followers }: Newsletter,
  sender: Device,
  { id, serverId, type, plain }: NewsletterPost,
  extraAttrs: Record<string, string | number>,
  nodes: Stanza[],
): void {
  const attrs = { from: jid, id, server_id: serverId, type, ...extraAttrs }
  const message = el('message', attrs, [el('plaintext', {}, plain), ...nodes])
  for (const follower of followers.keys()) state.delivery.deliverToAccount(follower, message, sender)
}

/**
 * The content that followers get: the preview of a link only in a post of the type media and the kind `url` (zapo 1.7.0). What
 * becomes of other files without a kind is not known.
 */
function contentOf({ wire, counters, faults }: NetworkState, message: Stanza): Buffer {
  const plain = child(message, 'plaintext')
  if (!plain) throw refusal(400, 'bad-request')
  const content = bytes(plain)
  const isMedia = message.attrs['type'] === 'media'
  const { mediatype } = plain.attrs
  if (faults.networkWide.lenientForms) return content
  if (isMedia && !mediatype) counters.kindlessPosts += 1
  if (isMedia && mediatype === 'url') return content
  const { extendedTextMessage, ...rest } = wire.proto.Message.decode(content)
  if (!extendedTextMessage?.matchedText?.trim()) return content
  counters.droppedCards += 1
  const { text = null, contextInfo = null } = extendedTextMessage
  const bare = wire.proto.Message.create({ ...rest, extendedTextMessage: { text, contextInfo } })
  return Buffer.from(wire.proto.Message.encode(bare).finish())
}

function hasFile({ wire }: NetworkState, plain: Uint8Array): boolean {
  const message = wire.proto.Message.decode(plain)
  const files = [
    message.imageMessage,
    message.videoMessage,
    message.audioMessage,
    message.documentMessage,
    message.stickerMessage,
  ]
  return files.some((file) => file?.directPath)
}

function react(_: NetworkState, post: NewsletterPost, account: AccountState, message: Stanza): void {
  const code = child(message, 'reaction')?.attrs['code']
  if (code) post.reactions.set(account, code)
  else post.reactions.delete(account)
}

function postOf({ posts }: Newsletter, serverId: string | undefined): NewsletterPost {
  const post = posts.find((one) => String(one.serverId) === serverId)
  if (!post) throw refusal(404, 'item-not-found')
  return post
}

function notifyWatchers(state: NetworkState, newsletter: Newsletter, post: NewsletterPost): void {
  for (const [device, until] of newsletter.watchers) {
    if (until < seconds()) newsletter.watchers.delete(device)
    else
      state.delivery.notify(device, 'newsletter', [el('live_updates', {}, [postNode(post, false)])], {
        from: newsletter.jid,
      })
  }
}

/**
 * A vote in a poll of a newsletter is plain: the SHA-256 of each chosen option's name. A later vote replaces it. WhatsApp's
 * refusals are not known: here of no option, and of what is no option of the poll.
 */
function vote({ wire }: NetworkState, post: NewsletterPost, account: AccountState, message: Stanza): void {
  const names = optionsIn(wire.proto.Message.decode(post.plain))
  const chosen = children(child(message, 'votes')).map((one) => {
    const name = names.find((option) => optionHash(option).equals(bytes(one)))
    if (name === undefined) throw refusal(400, 'bad-request')
    return name
  })
  if (chosen.length === 0) throw refusal(400, 'bad-request')
  post.votes = new Map(post.votes).set(account, chosen)
}
