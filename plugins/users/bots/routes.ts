import { randomBytes } from 'node:crypto'
import { ask, child, children, Id, LENGTHS, node, Sent } from 'wamux/messaging'
import {
  type GatewayServices,
  gatewayError,
  type Kernel,
  type RouteBuilder,
  type Socket,
  T,
} from 'wamux/plugin'
import { type BotName, profilesOf } from './profiles.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'sender'>

const Words = T.String()

export const botRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/bot/message', {
    ignoresUnknown: true,
    leaves: ['recipient'],
    scope: 'send',
    summary: 'Send a question to a bot; its answer arrives as a Message event',
    description: '`PersonaID` names one of the bots of `GET /bot/list`; the default bot when absent.',
    example: { Body: 'What is the capital of Peru?' },
    body: T.Object({
      Body: T.String({
        minLength: 1,
        maxLength: LENGTHS.text,
        aliases: ['Text', 'Message'],
        description: 'The question',
      }),
      PersonaID: T.Optional(
        T.String({
          maxLength: LENGTHS.id,
          format: 'id',
          description: 'The bot, as in /bot/list; the default one when absent',
        }),
      ),
      Id,
    }),
    response: Sent,
    async handle(request, { sender }) {
      const { Body, PersonaID } = request.body
      const { jid, persona } = await chooseBot(request.session.socket, PersonaID)
      const messageContextInfo = { messageSecret: randomBytes(32), botMetadata: { personaId: persona } }
      const content = { proto: { conversation: Body, messageContextInfo } }
      return sender.send('/bot/message', request, () => content, { chat: jid })
    },
  }),
  r.get('/bot/list', {
    ignoresUnknown: true,
    summary: 'List the bots that this account can use',
    description: 'Pass a `PersonaID` of the list to `POST /bot/message`.',
    response: T.Object({
      Bots: T.Array(
        T.Object({
          JID: Words,
          Name: Words,
          Attributes: Words,
          Description: Words,
          Category: Words,
          IsDefault: T.Boolean(),
          Prompts: T.Array(Words),
          PersonaID: Words,
          Commands: T.Array(T.Object({ Name: Words, Description: Words })),
          CommandsDescription: Words,
        }),
      ),
    }),
    handle: async ({ session }) => ({
      Bots: await profilesOf(session.socket, await listBots(session.socket)),
    }),
  }),
]

async function listBots(socket: Socket): Promise<BotName[]> {
  const reply = await ask(socket, { xmlns: 'bot', content: node('bot', { v: '2' }), verb: 'list the bots' })
  const all = children(child(reply, 'bot'), 'section').filter(({ attrs }) => attrs['type'] === 'all')
  return all
    .flatMap((section) => children(section, 'bot'))
    .map(({ attrs }) => ({ jid: attrs['jid'] ?? '', persona: attrs['persona_id'] ?? '' }))
}

/** The bot of that persona, or the network's default. Rejects ITEM_UNKNOWN. */
async function chooseBot(socket: Socket, persona: string | undefined): Promise<BotName> {
  const bots = await listBots(socket)
  const personaId = persona || (await profilesOf(socket, bots)).find(({ IsDefault }) => IsDefault)?.PersonaID
  const found = bots.find((bot) => bot.persona === personaId)
  if (!found) throw gatewayError('ITEM_UNKNOWN', [persona ? `PersonaID ${persona}` : 'Bot'])
  return found
}
