import { Phone, Sent } from 'wamux/messaging'
import { type GatewayServices, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import type { Greetings } from './greetings.ts'

type Deps = Kernel<{ greeting: string }> & Pick<GatewayServices, 'sender'> & { greetings: Greetings }

export const routes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/hello', {
    summary: 'Greet somebody',
    body: T.Object({ Phone, Name: T.String({ minLength: 1, description: 'Who is greeted' }) }),
    response: Sent,
    async handle(request, { config, greetings, sender }) {
      const text = `${config.greeting}, ${request.body.Name}!`
      const sent = await sender.send('/hello', request, () => ({ text }))
      // A send that is answered before it went out names no chat yet.
      if ('Chat' in sent) await greetings.add(request.session.id, sent.Chat)
      return sent
    },
  }),
  r.get('/hello', {
    summary: 'Who was greeted',
    access: 'token',
    response: T.Object({ Greeted: T.Array(T.String()) }),
    handle: async ({ session }, { greetings }) => ({ Greeted: await greetings.of(session.id) }),
  }),
]
