import type { Events, LiveSession, Recording, Signal } from 'wamux/plugin'
import { mex } from './mex.ts'
import { infoOf } from './requests.ts'

declare module 'wamux/plugin' {
  interface GatewaySignals {
    /** The account left, muted or unmuted a newsletter by a call of this session. The network notifies its other devices alone. */
    'newsletter.changed': { id: string; role: string } | { id: string; mute: 'on' | 'off' }
  }
}

/** Leaves a newsletter. Rejects ITEM_UNKNOWN if the account does not follow it. */
export async function unfollow(events: Events, session: LiveSession, id: string): Promise<void> {
  const { viewer_metadata: before } = await infoOf(session, id)
  await mex(session, 'unfollow', { newsletter_id: id }, 'leave the newsletter')
  await events.raise(session.id, 'newsletter.changed', { id, role: before?.role ?? 'subscriber' })
}

export async function mute(
  events: Events,
  session: LiveSession,
  id: string,
  isMuted: boolean,
): Promise<void> {
  await mex(session, isMuted ? 'mute' : 'unmute', { newsletter_id: id }, 'mute the newsletter')
  await events.raise(session.id, 'newsletter.changed', { id, mute: isMuted ? 'on' : 'off' })
}

export function ofChange({ data: event, time }: Signal<'newsletter.changed'>): Recording {
  const type = 'mute' in event ? 'NewsletterMuteChange' : 'NewsletterLeave'
  return { events: [{ type, chat: event.id, time, body: { event } }] }
}
