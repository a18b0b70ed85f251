import type { Metric } from 'wamux/plugin'
import type { StoredFiles } from './stored-files.ts'

export const metrics = ({ storedFiles: { counts } }: { storedFiles: StoredFiles }) =>
  ({
    wamux_media_stored_total: {
      type: 'counter',
      help: 'Received files that were stored',
      collect: () => counts.stored,
    },
    wamux_media_stored_bytes_total: {
      type: 'counter',
      help: 'Their bytes, as received',
      collect: () => counts.bytes,
    },
    wamux_media_store_failures_total: {
      type: 'counter',
      help: 'Tries to store a file that have failed',
      collect: () => counts.failures,
    },
  }) satisfies Record<string, Metric>
