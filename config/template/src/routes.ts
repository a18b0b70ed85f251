import { Phone, Sent } from 'wamux/messaging'
import { type GatewayServices, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import type { Greetings } from './greetings.ts'

type Deps = Kernel<{ greeting: string }> & Pick<GatewayServices, 'sender'> & { greetings: Greetings }

export const routes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/hello', {
    summary: 'Greet a person',
    body: T.Object({
      Phone,
      Name: T.String({ minLength: 1, format: 'name', description: 'Name of the person' }),
    }),
    response: Sent,
    async handle(request, { config, greetings, sender }) {
      const text = `${config.greeting}, ${request.body.Name}!`
      const sent = await sender.send('/hello', request, () => ({ text }))
      // A queued send does not know its chat yet.
      if ('Chat' in sent) await greetings.add(request.session.id, sent.Chat)
      return sent
    },
  }),
  r.get('/hello', {
    summary: 'List the greeted people',
    access: 'token',
    response: T.Object({ Greeted: T.Array(T.String()) }),
    handle: async ({ session }, { greetings }) => ({ Greeted: await greetings.of(session.id) }),
  }),
]
