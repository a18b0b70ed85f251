import type { ExplainedErrorRow } from 'wamux/plugin'

export const errors = {
  LINK_PAGE_FOREIGN: [
    403,
    'This link was opened in another browser',
    {
      meaning: 'The link was already opened in another browser.',
      cause: 'The browser that opens a link first keeps it, so that a forwarded link is useless.',
      remedy: 'Continue in the first browser, or create a new link.',
    },
  ],
  LINK_PAGE_REFUSED: [
    403,
    'WhatsApp refused to issue a pairing code: %s',
    {
      meaning: 'WhatsApp issued no pairing code.',
      cause: 'The number is wrong, or too many codes were requested for it.',
      remedy: 'Check the number, wait some minutes, or use the QR code.',
    },
  ],
  LINK_PAGE_UNKNOWN: [
    404,
    'This link does not exist',
    {
      meaning: 'There is no such link.',
      cause: 'The address is cut off, or its session was deleted.',
      remedy: 'Copy the whole address, or create a new link with `POST /session/link-page`.',
    },
  ],
  LINK_PAGE_OVER: [
    410,
    'This link is no longer valid: it was used or revoked, or it has expired',
    {
      meaning: 'The link is no longer valid.',
      cause: 'It was used or revoked, or has expired.',
      remedy: 'Create a new link with `POST /session/link-page`.',
    },
  ],
  LINK_PAGE_CODES: [
    429,
    'No more pairing codes can be requested with this link',
    {
      meaning: 'The link has no more pairing codes.',
      cause: 'The limit of codes for one link is reached.',
      remedy: 'Use the QR code, or create a new link.',
    },
  ],
  LINK_PAGE_UNBUILT: [
    503,
    'The files of the link page are not built: run "npm run build"',
    {
      meaning: 'The files of the link page are missing.',
      cause: 'The gateway runs from a clone that was not built.',
      remedy: 'Run `npm run build`.',
    },
  ],
} as const satisfies Record<string, ExplainedErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
