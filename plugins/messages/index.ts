import { definePlugin } from 'wamux/plugin'
import { events } from './events.ts'
import { ofMessage, ofReceipt, ofSent, ofUndecryptable } from './translate.ts'

/** Messages and their receipts, as receivers of this family of gateways know them. */
export default definePlugin({
  name: 'messages',
  version: '0.1.0',
  api: '^1.0.0',
  needs: ['wire'],
  events,
  translate: {
    message: async ({ data, session }, { wire, sessions }) =>
      ofMessage(wire, (await sessions.byId(session))?.jid ?? '', data),
    'message.sent': async ({ data, session }, { wire, sessions }) =>
      ofSent(wire, (await sessions.byId(session))?.jid ?? '', data),
    receipt: ({ data }) => ofReceipt(data),
    'message.undecryptable': ({ data }) => ofUndecryptable(data),
  },
})
