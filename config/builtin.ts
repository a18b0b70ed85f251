/** The plugins of this package by name. Nothing is imported that is not enabled. */
export const BUILTIN: Readonly<Record<string, () => Promise<{ default: unknown }>>> = {
  baileys: () => import('../plugins/baileys/index.ts'),
  docs: () => import('../plugins/docs/index.ts'),
  http: () => import('../plugins/http/index.ts'),
  media: () => import('../plugins/media/index.ts'),
  messages: () => import('../plugins/messages/index.ts'),
  sandbox: () => import('../plugins/sandbox/index.ts'),
  send: () => import('../plugins/send/index.ts'),
  server: () => import('../plugins/server/index.ts'),
  session: () => import('../plugins/session/index.ts'),
  webhook: () => import('../plugins/webhook/index.ts'),
}

/** What is on when the configuration lists no plugins. The sandbox never is: it must not be met by accident. */
export const STANDARD = Object.keys(BUILTIN).filter((name) => name !== 'sandbox')
