import { Jid } from 'wamux/messaging'
import { definePlugin, type LogEvent, type Sessions } from 'wamux/plugin'
import { events } from './events.ts'
import { migrations } from './migrations.ts'
import { rejectCall } from './reject.ts'
import { routes } from './routes.ts'
import { eventSamples } from './samples.ts'
import { faultIn, settings } from './settings.ts'
import { ofCall } from './translate.ts'

/** Events about calls, rejecting them, and links to them. The gateway cannot make or accept calls. */
export default definePlugin({
  name: 'calls',
  version: '0.1.0',
  api: '^1.0.0',
  scope: 'send',
  needs: ['sender', 'targets'],
  wants: ['sessionSettings'],
  migrations,
  routes,
  events,
  translate: {
    'stanza.call': async ({ data, session }, { sessions }) => ofCall(await sessions.byId(session), data),
  },
  unreadable: { 'stanza.call': 'Call' },
  on: { CallOffer: recordLid, CallOfferNotice: recordLid },
  contributes: {
    eventSamples,
    sessionSettings: ({ targets }) => ({
      title: 'Calls',
      schema: settings,
      validate: (values) => faultIn(values, targets),
    }),
  },
  consume: {
    types: ['CallOffer'],
    isPerSession: true,
    deadLetter: { after: 3 },
    async handle(lines, deps) {
      for (const line of lines) await rejectCall(line, deps)
    },
  },
})

/** An offer names its caller by LID and number. Baileys drops the number, so it is stored here for later signals. */
async function recordLid({ session, body }: LogEvent, { sessions }: { sessions: Sessions }): Promise<void> {
  const { CallCreator: creator, CallCreatorAlt: twin } = body['event'] as Record<string, string>
  const [lid, pn] = Jid.isLid(creator) ? [creator, twin] : [twin, creator]
  const socket = (await sessions.byId(session))?.socket
  if (lid && pn) await socket?.wa.signalRepository.lidMapping.storeLIDPNMappings([{ lid, pn }])
}
