import type { ExplainedErrorRow } from 'wamux/plugin'

/** Nothing was sent. */
export const errors = {
  MEDIA_BUSY: [
    429,
    'Too many files of this session are waiting to be converted (%s, with %s bytes); try again later',
    {
      meaning: 'Too many files of the session are waiting to be converted.',
      cause:
        'Files are sent faster than the gateway converts them; it converts one of each session at a time.',
      remedy: 'Repeat it when earlier files are answered.',
    },
  ],
  MEDIA_FAILED: [
    503,
    'Failed to convert %s: %s; nothing was sent',
    {
      meaning: 'The process that converts files ended while it had this file.',
      cause: 'The file made it crash, the machine is short of memory, or the gateway is stopping.',
      remedy:
        'Try again; if it fails again, send the file in another format. The log has what the process said.',
    },
  ],
} as const satisfies Record<string, ExplainedErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
