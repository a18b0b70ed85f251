import type { BinaryNode } from '@whiskeysockets/baileys'
import { child, textOf } from 'wamux/messaging'
import type { NewEvent, Recording, Static } from 'wamux/plugin'
import { lower, type Metadata, toMetadata } from './metadata.ts'
import { type PostReaders, toPosts, toTime } from './posts.ts'

/** The key of a join by a call of this session. */
type KeyOfJoin = (newsletter: Static<typeof Metadata>) => string | undefined

/**
 * Notifications that Baileys recognises and then drops: joins, leaves and mutes arrive in a `mex` notification, counts in
 * a `newsletter` one (Socket/messages-recv.js handleLegacyMexNewsletterNotification, handleNewsletterNotification).
 */
export function ofNotification(
  readers: PostReaders,
  stanza: BinaryNode,
  keyOfJoin: KeyOfJoin,
): Recording | undefined {
  const { type, t, id = '' } = stanza.attrs
  const event =
    type === 'mex' ? ofMex(stanza, keyOfJoin) : type === 'newsletter' ? ofLive(readers, stanza) : undefined
  if (!event) return undefined
  return { events: [{ key: id, ...event, ...(t ? { time: toTime(t) } : {}) }] }
}

interface Change {
  xwa2_notify_newsletter_on_join?: unknown
  xwa2_notify_newsletter_on_leave?: { id?: string; role?: string }
  xwa2_notify_newsletter_on_mute_change?: { id?: string; mute?: string }
}

function ofMex(stanza: BinaryNode, keyOfJoin: KeyOfJoin): NewEvent | undefined {
  const update = textOf(child(stanza, 'update'))
  if (!update) return undefined
  const { data } = JSON.parse(update) as { data?: Change | null }
  const join = data?.xwa2_notify_newsletter_on_join
  const leave = data?.xwa2_notify_newsletter_on_leave
  const mute = data?.xwa2_notify_newsletter_on_mute_change
  if (join) {
    const metadata = toMetadata(join)
    const key = keyOfJoin(metadata)
    return { type: 'NewsletterJoin', chat: metadata.id, body: { event: metadata }, ...(key ? { key } : {}) }
  }
  if (leave) {
    const event = { id: leave.id ?? '', role: lower(leave.role) }
    return { type: 'NewsletterLeave', chat: event.id, body: { event } }
  }
  if (!mute) return undefined
  const event = { id: mute.id ?? '', mute: lower(mute.mute) }
  return { type: 'NewsletterMuteChange', chat: event.id, body: { event } }
}

function ofLive(readers: PostReaders, stanza: BinaryNode): NewEvent | undefined {
  const updates = child(stanza, 'live_updates')
  if (!updates) return undefined
  const { from = '', t } = stanza.attrs
  const event = { JID: from, Time: toTime(t), Messages: toPosts(readers, updates) }
  return { type: 'NewsletterLiveUpdate', chat: from, body: { event } }
}
