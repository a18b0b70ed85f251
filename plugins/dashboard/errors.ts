import type { ErrorRow } from 'wamux/plugin'

export const errors = {
  DASHBOARD_HEADER: [400, 'Missing header X-Wamux-Dashboard: it shows that a page of this gateway calls'],
  DASHBOARD_CODE: [
    401,
    'This sign-in link is used or expired: log in with the admin token, or restart for another',
  ],
  DASHBOARD_UNBUILT: [503, 'The pages of the dashboard are not built: run "npm run build"'],
} as const satisfies Record<string, ErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}
