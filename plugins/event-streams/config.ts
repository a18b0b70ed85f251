import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  heartbeatSeconds: T.Number({
    default: 15,
    exclusiveMinimum: 0,
    description: 'Seconds without events after which a stream sends a heartbeat',
  }),
  slowSeconds: T.Number({
    default: 30,
    exclusiveMinimum: 0,
    description: 'Seconds within which the client of a WebSocket must receive an event or answer a ping',
  }),
})

export type EventsConfig = Static<typeof ConfigSchema>
