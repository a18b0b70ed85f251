import { asFunction, definePlugin } from 'wamux/plugin'
import { events } from './events.ts'
import { ofChatState, ofPresence } from './translate.ts'
import { createWatching } from './watching.ts'

/** Who is on line, and who is typing. */
export default definePlugin({
  name: 'presence',
  version: '0.1.0',
  api: '^1.0.0',
  services: () => ({ watching: asFunction(createWatching).singleton() }),
  events,
  translate: {
    'stanza.presence': async ({ data, session }, { sessions }) =>
      ofPresence(await sessions.byId(session), data),
    'stanza.chatstate': async ({ data, session, time }, { sessions }) =>
      ofChatState(await sessions.byId(session), data, time),
  },
  on: {
    Message: ({ session, body }, { watching }) => watching.see(session, body.event),
  },
})
