import { asFunction, definePlugin } from 'wamux/plugin'
import { errors } from './errors.ts'
import { events, ofSetting } from './events.ts'
import { createLastMessages } from './last-messages.ts'
import { migrations } from './migrations.ts'
import { routes } from './routes.ts'
import { presenceRoutes } from './routes-presence.ts'

/** The state of chats (pinned, archived, muted, read), disappearing messages, and typing indicators. */
export default definePlugin({
  name: 'chats',
  version: '0.1.0',
  api: '^1.0.0',
  scope: 'send',
  errors,
  needs: ['sender', 'targets'],
  migrations,
  services: () => ({ lastMessages: asFunction(createLastMessages).singleton() }),
  routes: (r) => [...routes(r), ...presenceRoutes(r)],
  events,
  translate: {
    setting: ofSetting,
    message: ({ session, data }, { lastMessages }) => lastMessages.record(session, data.message),
    'message.sent': ({ session, data }, { lastMessages }) => lastMessages.record(session, data.message),
    'baileys.messaging-history.set': ({ session, data }, { lastMessages }) =>
      lastMessages.recordHistory(session, data.messages),
  },
})
