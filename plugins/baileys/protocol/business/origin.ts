import type { BinaryNode } from '@whiskeysockets/baileys'
import { getBinaryNodeChild, isHostedLidUser, isHostedPnUser } from '../../baileys.ts'

/** Who reads and stores the chats of the business that has sent a message, if the network says so. */
export interface BusinessOrigin {
  /** `provider`: a company that works for the business; `cloudApi`: Meta's Cloud API. */
  actors?: 'self' | 'provider' | 'cloudApi'
  storage?: 'own' | 'meta'
  /** Since when it is so, RFC 3339. */
  since?: string
  /** Whether a hosted device of the account has sent it. */
  isHosted: boolean
}

const ACTORS = { '1': 'self', '2': 'provider', '3': 'cloudApi' } as const
const STORAGE = { '1': 'own', '2': 'meta' } as const

/** The part of a stanza from which the origin is read, without ciphertexts. */
export function bizNodes(stanza: BinaryNode): BinaryNode[] {
  const { actual_actors, host_storage, privacy_mode_ts } = getBinaryNodeChild(stanza, 'biz')?.attrs ?? {}
  if (!actual_actors || !host_storage || !privacy_mode_ts) return []
  return [{ tag: 'biz', attrs: { actual_actors, host_storage, privacy_mode_ts } }]
}

/**
 * What a stanza says about the business that has sent it: its privacy mode, which WhatsApp Web reads if it is complete
 * (WAWebHandleMsgParser), and whether the Cloud API has sent it, as a hosted device of the account.
 */
export function businessOriginOf(stanza: BinaryNode): BusinessOrigin | undefined {
  const sender = stanza.attrs['participant'] ?? stanza.attrs['from']
  const isHosted = Boolean(isHostedPnUser(sender) || isHostedLidUser(sender))
  const [biz] = bizNodes(stanza)
  const { actual_actors: who = '', host_storage: where = '', privacy_mode_ts: since } = biz?.attrs ?? {}
  const actors = ACTORS[who as keyof typeof ACTORS]
  const storage = STORAGE[where as keyof typeof STORAGE]
  const time = new Date(Number(since) * 1000)
  const mode =
    actors && storage && !Number.isNaN(time.getTime()) ? { actors, storage, since: time.toISOString() } : {}
  return isHosted || 'actors' in mode ? { ...mode, isHosted } : undefined
}
