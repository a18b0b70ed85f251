import type { ErrorRow } from 'wamux/plugin'

export const errors = {
  LINK_PAGE_FOREIGN: [403, 'This link was opened in another browser'],
  LINK_PAGE_REFUSED: [403, 'WhatsApp refused to issue a pairing code: %s'],
  LINK_PAGE_UNKNOWN: [404, 'This link does not exist'],
  LINK_PAGE_OVER: [410, 'This link is no longer valid: it was used or revoked, or it has expired'],
  LINK_PAGE_CODES: [429, 'No more pairing codes can be requested with this link'],
  LINK_PAGE_UNBUILT: [503, 'The files of the link page are not built: run "npm run build"'],
} as const satisfies Record<string, ErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
