import { type GatewayServices, gatewayError, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import type { Sandbox } from './sandbox.ts'

const DAY_MS = 86_400_000
const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  second: 1_000,
  min: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  d: DAY_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
}
const FORM = /^(-?\d{1,9}(?:\.\d{1,3})?) ?(s|min|h|d|(?:second|minute|hour|day|week)s?)$/i
/** Enough for whatever ends after a year. */
const MAX_DAYS = 400

/** Milliseconds of a time like `90 minutes`; `name` is the field that it is from. */
function parseDuration(name: string, text: string): number {
  const invalid = (why: string): Error => gatewayError('FIELD_INVALID', [name, why])
  const [, number, unit = ''] = FORM.exec(text.trim()) ?? []
  const unitMs = UNITS[unit.toLowerCase()] ?? UNITS[unit.toLowerCase().replace(/s$/, '')]
  if (number === undefined || unitMs === undefined)
    throw invalid('must be a number and a unit (seconds, minutes, hours, days or weeks), for example 61 days')
  const ms = Math.round(Number(number) * unitMs)
  if (ms <= 0) throw invalid('must be more than 0: the clock is never set back')
  if (ms > MAX_DAYS * DAY_MS) throw invalid(`must be at most ${MAX_DAYS} days`)
  return ms
}

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
