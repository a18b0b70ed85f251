import { type GatewayServices, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import { parseDuration } from './clock/duration.ts'
import type { Sandbox } from './sandbox.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'sandbox'>

const access = 'admin' as const
const Time = T.Object({
  Time: T.String({ description: 'The time of gateway and network (RFC 3339)' }),
  AheadSeconds: T.Number({ description: "How far it is ahead of the machine's clock" }),
})

/** Routes of the clock. */
export const clockRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get('/sandbox/clock', {
    summary: 'Get the time of gateway and network, and how far it is ahead',
    description: "The time is the machine's until `POST /sandbox/clock` sets it forward.",
    access,
    response: Time,
    handle: async (_, { sandbox }) => timeOf(sandbox),
  }),
  r.post('/sandbox/clock', {
    summary: 'Set the time of gateway and network forward',
    description:
      'Answers when what became due has run: scheduled messages, retries of webhooks and ends of codes in order of time, retention and other repeated work once. The clock is never set back, and stays ahead after a restart.',
    example: { Advance: '30 seconds' },
    access,
    response: Time,
    body: T.Object({
      Advance: T.String({
        minLength: 1,
        maxLength: 40,
        description: 'A number and a unit (seconds, minutes, hours, days or weeks), at most 400 days',
      }),
    }),
    async handle({ body }, { sandbox }) {
      await sandbox.clock.advance(parseDuration('Advance', body.Advance))
      return timeOf(sandbox)
    },
  }),
]

function timeOf({ clock }: Pick<Sandbox, 'clock'>) {
  return { Time: new Date().toISOString(), AheadSeconds: clock.aheadMs / 1000 }
}
