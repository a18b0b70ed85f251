import { child, el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { AccountState } from '../directory/accounts.ts'

/** The numbers of the attributes (WA Web WAWebHandleMsgTypes). */
const ACTORS = { self: 1, bsp: 2, capi: 3 } as const
const STORAGE = { onPremise: 1, facebook: 2 } as const

/**
 * The nodes of a message as its receivers get them. The messages of a business whose chats others than its apps read and store
 * say so in their `biz` node (WA Web WAWebHandleMsgParser); that the network adds it is not known [?].
 */
export function withPrivacyMode({ privacyMode }: AccountState, nodes: Stanza[]): Stanza[] {
  if (!privacyMode) return nodes
  const { actors, storage, since } = privacyMode
  const mode = { actual_actors: ACTORS[actors], host_storage: STORAGE[storage], privacy_mode_ts: since }
  const biz = child(el('message', {}, nodes), 'biz')
  const marked = el('biz', { ...biz?.attrs, ...mode }, biz?.content)
  return [...nodes.filter((node) => node !== biz), marked]
}
