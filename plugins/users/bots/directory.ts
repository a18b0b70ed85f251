import { child, children } from 'wamux/messaging'
import { gatewayError, type Socket } from 'wamux/plugin'
import { type BotName, profilesOf } from './profiles.ts'

export async function listBots(socket: Socket): Promise<BotName[]> {
  const iq = { xmlns: 'bot', type: 'get', to: 's.whatsapp.net' }
  const reply = await socket.query(
    { tag: 'iq', attrs: iq, content: [{ tag: 'bot', attrs: { v: '2' } }] },
    'list the bots',
  )
  const all = children(child(reply, 'bot'), 'section').filter(({ attrs }) => attrs['type'] === 'all')
  return all
    .flatMap((section) => children(section, 'bot'))
    .map(({ attrs }) => ({ jid: attrs['jid'] ?? '', persona: attrs['persona_id'] ?? '' }))
}

/** The bot of that persona, or the network's default. Rejects ITEM_UNKNOWN. */
export async function chooseBot(socket: Socket, persona: string | undefined): Promise<BotName> {
  const bots = await listBots(socket)
  const personaId = persona || (await profilesOf(socket, bots)).find(({ IsDefault }) => IsDefault)?.PersonaID
  const found = bots.find((bot) => bot.persona === personaId)
  if (!found) throw gatewayError('ITEM_UNKNOWN', [persona ? `PersonaID ${persona}` : 'Bot'])
  return found
}
