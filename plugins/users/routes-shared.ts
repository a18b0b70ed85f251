import { type Kernel, type RouteBuilder, T } from 'wamux/plugin'

export const sharedRoutes = <D extends Kernel<unknown>>(r: RouteBuilder<D>) => [
  r.post('/user/name', {
    ignoresUnknown: true,
    leaves: ['profile'],
    isIdempotent: true,
    summary: 'Change the name that others see',
    description:
      'People who have not saved the account see it next to its messages. The account must be linked.',
    example: { Name: 'Ana Lima' },
    body: T.Object({ Name: T.String({ minLength: 1, maxLength: 100, aliases: ['PushName'] }) }),
    response: T.Object({ Details: T.String(), Name: T.String() }),
    async handle({ body, session }) {
      await session.socket.modify({ pushNameSetting: body.Name }, '')
      return { Details: 'Name changed', Name: body.Name }
    },
  }),
  r.get('/user/appstate', {
    ignoresUnknown: true,
    summary: 'Resynchronize the shared settings of the account',
    description:
      'Chats, contacts, labels and settings that the phone shares with its companions. Use it when the data here differs from the phone.',
    response: T.Object({
      Details: T.String(),
      Collections: T.Array(T.Object({ Name: T.String(), Version: T.Integer() })),
    }),
    async handle({ session }) {
      const collections = await session.socket.refetch()
      return {
        Details: 'App state fetched',
        Collections: collections.map(({ name, version }) => ({ Name: name, Version: version })),
      }
    },
  }),
]
