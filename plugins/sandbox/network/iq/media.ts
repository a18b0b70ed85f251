import { el } from '../../stanza.ts'
import type { Query } from '../router.ts'

/** Where media goes up to and comes down from, and with which ticket. */
export const mediaConnection: Query = (state) => [
  el('media_conn', { auth: 'sandbox', ttl: 3600, max_buckets: 12 }, [
    el('host', { hostname: state.mediaHost, maxContentLengthBytes: 100 * 1024 * 1024 }),
  ]),
]
