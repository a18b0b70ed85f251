import { definePlugin } from 'wamux/plugin'
import { events } from './events.ts'
import { recordLid } from './record-lid.ts'
import { ofCall } from './translate.ts'

/** Events about calls. The gateway cannot make or accept calls. */
export default definePlugin({
  name: 'calls',
  version: '0.1.0',
  api: '^1.0.0',
  events,
  translate: {
    'stanza.call': async ({ data, session }, { sessions }) => ofCall(await sessions.byId(session), data),
  },
  on: { CallOffer: recordLid, CallOfferNotice: recordLid },
})
