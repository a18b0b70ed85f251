import { children } from '../../stanza.ts'
import type { Query } from './query.ts'

/** `clean`: the companion has fetched what was marked dirty. */
export const cleanDirty: Query = (_state, device, iq) => {
  for (const { attrs } of children(iq, 'clean')) device.dirty.delete(attrs['type'] ?? '')
  return undefined
}
