import type { Context } from 'koa'

/** Most names in the header, and most characters of one. */
const MAX_NAMES = 20
const MAX_LENGTH = 64

/** Lists the paths of unknown body fields in the header `X-Ignored-Fields`, on success and on failure. */
export function ignoredFields(ctx: Context): (path: string) => void {
  const names: string[] = []
  return (path) => {
    if (names.length > MAX_NAMES) return
    names.push(names.length === MAX_NAMES ? '...' : plain(path))
    ctx.set('X-Ignored-Fields', names.join(', '))
  }
}

/** The name comes from a client: a character that is invalid in a header, or a comma, becomes `?`. */
function plain(path: string): string {
  return path.slice(0, MAX_LENGTH).replace(/[^\x21-\x2b\x2d-\x7e]/g, '?') || '?'
}
