/** Bytes of the JSON of a page's items; only a page with a single item has more. */
export const PAGE_BYTES = 1_000_000

/** A page of a list in an answer, bounded by number and bytes. */
export interface Page<I, C> {
  readonly items: I[]
  /** Where the next page begins: that of the last row that was added. */
  readonly cursor: C
  /** Whether a row was refused: the list goes on after this page. */
  readonly isCut: boolean
  /**
   * Adds a row of the list; false, with nothing changed, if the page is full. The first item always fits.
   *
   * @param item absent for a row that is not shown: the page continues after it.
   */
  add(cursor: C, item?: I): boolean
}

/**
 * Starts an empty page.
 *
 * @param cursor of a page without rows.
 * @param limit most items.
 */
export function createPage<I, C>(cursor: C, limit = Number.POSITIVE_INFINITY): Page<I, C> {
  const items: I[] = []
  let [last, bytes, isCut] = [cursor, 0, false]
  return {
    items,
    get cursor() {
      return last
    },
    get isCut() {
      return isCut
    },
    add(at, item) {
      const size = item === undefined ? 0 : Buffer.byteLength(JSON.stringify(item)) + 1
      isCut ||= size > 0 && items.length > 0 && (items.length >= limit || bytes + size > PAGE_BYTES)
      if (isCut) return false
      if (item !== undefined) items.push(item)
      bytes += size
      last = at
      return true
    },
  }
}

/**
 * The page that begins with the first of these rows; its cursor is the last row in it.
 *
 * @param toItem undefined for a row that is not shown.
 */
export function pageOf<R, I>(rows: readonly R[], toItem: (row: R) => I | undefined): Page<I, R | undefined> {
  const page = createPage<I, R | undefined>(undefined)
  for (const row of rows) if (!page.add(row, toItem(row))) break
  return page
}
