import type { Context } from 'koa'

/** Names that are shown, and characters of one. */
const MAX_NAMES = 20
const MAX_LENGTH = 64

export interface IgnoredFields {
  add(path: string): void
}

/** Names the fields of a body that no schema knows in the header `X-Ignored-Fields`, whatever the answer will be. */
export function ignoredFields(ctx: Context): IgnoredFields {
  const names: string[] = []
  return {
    add(path) {
      if (names.length > MAX_NAMES) return
      names.push(names.length === MAX_NAMES ? '...' : plain(path))
      ctx.set('X-Ignored-Fields', names.join(', '))
    },
  }
}

/** A client chose the name: what a header can't hold, or would read as two names, is shown as `?`. */
function plain(path: string): string {
  return path.slice(0, MAX_LENGTH).replace(/[^\x21-\x2b\x2d-\x7e]/g, '?') || '?'
}
