import type { ExplainedErrorRow } from 'wamux/plugin'

export const errors = {
  DASHBOARD_HEADER: [
    400,
    'Missing header X-Wamux-Dashboard, which shows that a page of this gateway calls',
    {
      meaning: 'The request lacks the header that pages of the dashboard send.',
      cause: 'It came from another page or a script; the header protects the login cookie.',
      remedy: 'Programs call the interface with a token instead of the cookie.',
    },
  ],
  DASHBOARD_CODE: [
    401,
    'This sign-in link was used or has expired: log in with the admin token, or restart for a new link',
    {
      meaning: 'The sign-in link does not work any more.',
      cause: 'It was used once or has expired.',
      remedy: 'Log in with the admin token, or restart for a new link.',
    },
  ],
  DASHBOARD_UNBUILT: [
    503,
    'The pages of the dashboard are not built: run "npm run build"',
    {
      meaning: 'The pages of the dashboard are missing.',
      cause: 'The gateway runs from a clone that was not built.',
      remedy: 'Run `npm run build`.',
    },
  ],
} as const satisfies Record<string, ExplainedErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
