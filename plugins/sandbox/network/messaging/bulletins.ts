import { createHash } from 'node:crypto'
import { el, seconds } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { Device } from '../directory/accounts.ts'

/** What a new companion must fetch, by type. */
export const DIRTY_AFTER_LINKING = ['account_sync', 'groups']

/**
 * Bulletins to a companion at each login, besides its queue (WR wacore/src/stanza/ib.rs): the routing for its next connection,
 * what it must fetch until it reports that it has, and the notices for its user, of which there are none here.
 * The form of `tos` is not known.
 */
export function loginBulletins({ jid, dirty }: Device): Stanza[] {
  return [
    bulletin(el('edge_routing', {}, [el('routing_info', {}, routingOf(jid))])),
    ...[...dirty].map(([type, timestamp]) => bulletin(el('dirty', { type, timestamp }))),
    bulletin(el('tos', {})),
  ]
}

/** Summary of the queue by chat, sent before it (ZP client/events/offline.ts). */
export function threadMetadata(stanzas: readonly Stanza[]): Stanza {
  const newest = new Map<string, string>()
  const kinds = (kind: string): Stanza[] => stanzas.filter(({ tag }) => tag === kind)
  for (const { attrs } of kinds('message')) newest.set(attrs['from'] ?? '', attrs['t'] ?? '')
  const posts = kinds('status').map(({ attrs }) => el('item', { from: attrs['participant'] }))
  return bulletin(
    el('thread_metadata', {}, [
      ...[...newest].map(([from, t]) => el('item', { from, t })),
      ...(posts.length > 0 ? [el('status_msgs', { count: posts.length }, posts)] : []),
      el('notifications', { count: kinds('notification').length }),
    ]),
  )
}

export function markDirty({ dirty }: Device, types: readonly string[]): void {
  for (const type of types) dirty.set(type, String(seconds()))
}

export function bulletin(content: Stanza): Stanza {
  return el('ib', { from: 's.whatsapp.net' }, [content])
}

function routingOf(jid: string): Buffer {
  return createHash('sha256').update(jid).digest().subarray(0, 12)
}
