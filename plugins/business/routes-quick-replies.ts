import { randomInt } from 'node:crypto'
import { Done, LENGTHS } from 'wamux/messaging'
import { gatewayError, type Kernel, type LiveSession, type RouteBuilder, T } from 'wamux/plugin'
import type { QuickReplies } from './quick-replies.ts'

type Deps = Kernel<unknown> & { quickReplies: QuickReplies }

const Words = T.String()
const id = T.String({
  minLength: 1,
  maxLength: LENGTHS.id,
  format: 'id',
  aliases: ['Id'],
  description: 'Its id, from `GET /business/quickreplies`',
})

export const quickReplyRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get('/business/quickreplies', {
    summary: 'List the quick replies of your business',
    description: 'By shortcut, as the phone and the other devices of the account last changed them.',
    access: 'token',
    response: T.Object({
      QuickReplies: T.Array(
        T.Object(
          {
            ID: Words,
            Shortcut: T.String({ description: 'What is typed after the slash' }),
            Message: Words,
            Keywords: T.Array(Words),
            Count: T.Integer({ description: 'How often it was used, as the devices count' }),
          },
          { title: 'QuickReply' },
        ),
      ),
    }),
    handle: async ({ session }, { quickReplies }) => ({ QuickReplies: await quickReplies.all(session.id) }),
  }),
  r.post('/business/quickreplies', {
    leaves: [],
    summary: 'Create or change a quick reply',
    description:
      'Without `ID` a new one; what is absent in a change stays as it is. Only for business accounts.',
    example: { Shortcut: 'thanks', Message: 'Thank you for your order!' },
    chain: { saves: { quickReply: 'ID' } },
    body: T.Object({
      ID: T.Optional(id),
      Shortcut: T.Optional(
        T.String({ minLength: 1, maxLength: 64, description: 'Without the slash; required for a new one' }),
      ),
      Message: T.Optional(
        T.String({ minLength: 1, maxLength: 4096, description: 'The text; required for a new one' }),
      ),
      Keywords: T.Optional(
        T.Array(T.String({ minLength: 1, maxLength: 64 }), {
          maxItems: 10,
          description: 'By which the apps suggest it',
        }),
      ),
    }),
    response: T.Object({ Details: Words, ID: Words }),
    async handle({ body, session }, { quickReplies }) {
      const known = body.ID ? await quickReplies.find(session.id, body.ID) : undefined
      if (body.ID && !known) throw unknown()
      const { Shortcut = known?.Shortcut, Message = known?.Message, Keywords = known?.Keywords ?? [] } = body
      if (!Shortcut) throw gatewayError('FIELD_MISSING', ['Shortcut'])
      if (!Message) throw gatewayError('FIELD_MISSING', ['Message'])
      const ID = known?.ID ?? newId()
      const reply = {
        shortcut: Shortcut,
        message: Message,
        keywords: [...Keywords],
        count: known?.Count ?? 0,
      }
      await write(session, ID, { ...reply, deleted: false })
      return { Details: 'Quick reply saved', ID }
    },
  }),
  r.post('/business/quickreplies/delete', {
    leaves: [],
    isDestructive: true,
    summary: 'Delete a quick reply',
    description: 'On all devices of the account.',
    example: { ID: '1764201600' },
    chain: { uses: { ID: 'quickReply' } },
    body: T.Object({ ID: id }),
    response: Done,
    async handle({ body, session }, { quickReplies }) {
      if (!(await quickReplies.find(session.id, body.ID))) throw unknown()
      await write(session, body.ID, { deleted: true })
      return { Details: 'Quick reply deleted' }
    },
  }),
]

type Value = { deleted: boolean; shortcut?: string; message?: string; keywords?: string[]; count?: number }

async function write({ socket }: LiveSession, ID: string, value: Value): Promise<void> {
  await socket.modify({ quickReply: { ...value, timestamp: ID } }, '')
}

function unknown(): Error {
  return gatewayError('ITEM_UNKNOWN', ['Quick reply'])
}

/** Apps take any text; another id in the same second would replace the first one. */
function newId(): string {
  return `${Math.floor(Date.now() / 1000)}${randomInt(1e5, 1e6)}`
}
