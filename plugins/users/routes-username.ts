import { Done, LENGTHS } from 'wamux/messaging'
import { type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import { checkUsername, readUsername, removeUsername, setUsername, setUsernamePin } from './username.ts'

// It is the account's, or nobody's: a key that is limited to some chats must neither set nor check it.
const Username = T.String({
  minLength: 1,
  maxLength: LENGTHS.id,
  names: 'unknown',
  description: '3 to 35 letters, digits, dots and underscores, with or without @; case does not matter',
  examples: ['ana.lima'],
})

export const usernameRoutes = <D extends Kernel<unknown>>(r: RouteBuilder<D>) => [
  r.get('/user/username', {
    summary: 'Read the username of the account',
    description:
      'Empty if it has none. Of the PIN only whether there is one: it is a secret, and who has forgotten it sets another.',
    response: T.Object({
      Username: T.String({ description: 'Without @; empty for none' }),
      State: T.String({ description: "The network's word, for example OWNED; empty for none" }),
      HasPin: T.Boolean({ description: 'Whether others need the PIN to find the account by its username' }),
    }),
    handle: ({ session }) => readUsername(session.socket),
  }),
  r.post('/user/username', {
    leaves: ['profile'],
    isDestructive: true,
    isIdempotent: true,
    summary: 'Set the username of the account',
    description:
      'Others see it, and find the account by `@name` without its number. A former username is free for others. 409 if the account does not get it.',
    example: { Username: 'ana.lima' },
    body: T.Object({ Username }),
    response: T.Object({ Details: T.String(), Username: T.String() }),
    async handle({ body, session }) {
      const username = await setUsername(session.socket, body.Username)
      return { Details: 'Username set', Username: username }
    },
  }),
  r.get('/user/username/available', {
    summary: 'Check whether the account could have a username',
    description: 'With usernames that WhatsApp suggests in place of one that is taken.',
    example: { Username: 'ana.lima' },
    body: T.Object({ Username }),
    response: T.Object({
      Available: T.Boolean(),
      Suggestions: T.Array(T.String(), { description: 'Without @; empty if there are none' }),
    }),
    handle: ({ body, session }) => checkUsername(session.socket, body.Username),
  }),
  r.post('/user/username/pin', {
    leaves: ['profile'],
    isIdempotent: true,
    summary: 'Set the PIN of the username',
    description:
      'From then on others find the account by its username only with the PIN, as `@name:1234`. The account must have a username.',
    example: { Pin: '4821' },
    body: T.Object({
      Pin: T.String({ minLength: 1, maxLength: LENGTHS.id, description: 'Four digits', examples: ['4821'] }),
    }),
    response: Done,
    async handle({ body, session }) {
      await setUsernamePin(session.socket, body.Pin)
      return { Details: 'PIN of the username set' }
    },
  }),
  r.delete('/user/username', {
    leaves: ['profile'],
    isDestructive: true,
    isIdempotent: true,
    summary: 'Remove the username of the account',
    description: 'It is free for others, and its PIN is gone.',
    response: Done,
    async handle({ session }) {
      await removeUsername(session.socket)
      return { Details: 'Username removed' }
    },
  }),
]
