import { el } from '../../stanza.ts'
import type { Query } from '../iq/query.ts'

/** The media host for uploads and downloads, and its auth token. */
export const mediaConnection: Query = (state) => [
  el('media_conn', { auth: 'sandbox', ttl: 3600, max_buckets: 12 }, [
    el('host', { hostname: state.media.host, maxContentLengthBytes: 100 * 1024 * 1024 }),
  ]),
]
