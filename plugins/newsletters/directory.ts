import type { LiveSession, Static } from 'wamux/plugin'
import { type Metadata, toMetadata } from './metadata.ts'
import { mex } from './mex.ts'

export interface DirectoryPage {
  readonly newsletters: Static<typeof Metadata>[]
  /** Of the next page; '' if there is none. */
  readonly cursor: string
}

interface Place {
  readonly limit: number
  readonly cursor: string | undefined
}

/** Newsletters whose name or description has the words. */
export function search(session: LiveSession, words: string, place: Place): Promise<DirectoryPage> {
  const input = { search_text: words, categories: [], ...placeOf(place) }
  return pageOf(session, 'search', input, 'search for newsletters')
}

/** @param view the list, in the network's words. */
export function browse(
  session: LiveSession,
  { view, countries }: { view: string; countries: readonly string[] },
  place: Place,
): Promise<DirectoryPage> {
  const filters = { country_codes: countries, categories: [] }
  return pageOf(session, 'directory', { view, filters, ...placeOf(place) }, 'read the directory')
}

function placeOf({ limit, cursor }: Place): object {
  return { limit, start_cursor: cursor ?? null }
}

interface Answer {
  page_info?: { hasNextPage?: boolean; endCursor?: string | null } | null
  result?: unknown[] | null
}

async function pageOf(
  session: LiveSession,
  query: 'search' | 'directory',
  input: object,
  verb: string,
): Promise<DirectoryPage> {
  const found = (await mex(session, query, { fetch_status_metadata: false, input }, verb)) as Answer
  const { hasNextPage, endCursor } = found.page_info ?? {}
  return { newsletters: (found.result ?? []).map(toMetadata), cursor: hasNextPage ? (endCursor ?? '') : '' }
}
