import type { Device } from '../directory/accounts.ts'
import type { NetworkState } from '../state.ts'
import { metadataOf } from './newsletters.ts'

interface Variables {
  input?: {
    view?: string
    search_text?: string
    limit?: number
    start_cursor?: string | null
  }
}

type Answer = (state: NetworkState, device: Device, variables: Variables) => unknown

const DEFAULT_LIMIT = 20

/**
 * The public directory, by query id (WA Web WAWebMexFetchNewsletterDirectoryListJob and …SearchResultsJob). All newsletters are
 * in it, the most followed first; countries and categories are ignored.
 */
export const DIRECTORY: Readonly<Record<string, [path: string, answer: Answer]>> = {
  '26125047313831973': ['xwa2_newsletters_directory_list', page],
  '26301059626252132': ['xwa2_newsletters_directory_search', page],
}

function page(state: NetworkState, { account }: Device, { input = {} }: Variables): unknown {
  const { search_text: words = '', limit = DEFAULT_LIMIT, start_cursor: cursor } = input
  const found = state.newsletters
    .all()
    .filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(words.toLowerCase()))
    .sort((a, b) => b.followers.size - a.followers.size)
  const start = Number(cursor ?? 0)
  const end = start + limit
  return {
    page_info: {
      hasNextPage: end < found.length,
      hasPreviousPage: start > 0,
      startCursor: String(start),
      endCursor: end < found.length ? String(end) : null,
    },
    // A search does not say what the viewer is to the newsletter.
    result: found.slice(start, end).map((one) => ({ ...metadataOf(one, account), viewer_metadata: null })),
  }
}
