import { altOf, digits, LENGTHS } from 'wamux/messaging'
import { type GatewayServices, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import type { LabelStore } from './label-store.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'targets'> & { labelStore: LabelStore }

const MAX_LIMIT = 500
const Words = T.String()

export const listRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get('/label/list', {
    summary: 'List the labels of the account',
    description: 'With the number of chats and messages that each is on; `/label/find` lists those.',
    access: 'token',
    response: T.Object({
      Labels: T.Array(
        T.Object(
          {
            ID: T.String({ description: '`labelid` of the other calls' }),
            Name: Words,
            Color: T.Integer({ description: 'One of 20 colours' }),
            Chats: T.Integer(),
            Messages: T.Integer(),
          },
          { title: 'Label' },
        ),
      ),
    }),
    handle: async ({ session }, { labelStore }) => ({ Labels: await labelStore.labels(session.id) }),
  }),
  r.get('/label/find', {
    summary: 'List what a label is on, or the labels of a chat',
    description: 'In no particular order. Without `labelid` and `jid` everything that is labelled.',
    access: 'token',
    example: { labelid: '3' },
    body: T.Object({
      labelid: T.Optional(
        T.String({ minLength: 1, maxLength: LENGTHS.id, format: 'id', description: 'Id of the label' }),
      ),
      jid: T.Optional(
        T.String({
          minLength: 1,
          format: 'phone',
          aliases: ['Chat', 'Phone', 'Number'],
          description: 'Phone number or JID of the chat',
        }),
      ),
      after: T.Optional(
        T.String({ maxLength: 64, format: 'id', description: '`After` of the previous page' }),
      ),
      limit: digits(`Page size, at most ${MAX_LIMIT}; 100 when absent`, 4),
    }),
    response: T.Object({
      Items: T.Array(
        T.Object(
          {
            LabelID: Words,
            JID: T.String({ description: 'The chat; can be used as Phone' }),
            JIDAlt: T.String({ description: 'Its other form, phone or LID; empty when unknown' }),
            MessageID: T.String({ description: 'Empty for the chat itself' }),
          },
          { title: 'Labelled' },
        ),
      ),
      After: T.String({ description: 'Pass it as `after` to get the next page; empty if there is none' }),
    }),
    async handle({ body, session }, { labelStore, targets }) {
      const { labelid: label, jid, after = '', limit } = body
      const chat = jid === undefined ? undefined : targets.toChat(jid)
      const chats = chat && [chat, await altOf(session, chat)].filter(Boolean)
      const size = Math.min(MAX_LIMIT, Number(limit ?? 100) || 1)
      const found = await labelStore.find(session.id, {
        label,
        chats: chats || undefined,
        after,
        limit: size,
      })
      const Items = found.items.map(async (item) => ({
        LabelID: item.label,
        JID: item.chat,
        JIDAlt: await altOf(session, item.chat),
        MessageID: item.message,
      }))
      return { Items: await Promise.all(Items), After: found.next }
    },
  }),
]
