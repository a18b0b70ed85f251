import type { ErrorRow } from 'wamux/plugin'

export const errors = {
  DASHBOARD_HEADER: [400, 'Missing header X-Wamux-Dashboard, which shows that a page of this gateway calls'],
  DASHBOARD_CODE: [
    401,
    'This sign-in link was used or has expired: log in with the admin token, or restart for a new link',
  ],
  DASHBOARD_UNBUILT: [503, 'The pages of the dashboard are not built: run "npm run build"'],
} as const satisfies Record<string, ErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
