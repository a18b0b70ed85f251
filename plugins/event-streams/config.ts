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
    description:
      'Seconds that the client of a WebSocket may take to receive an event or to answer a ping before it is disconnected',
  }),
})

export type EventsConfig = Static<typeof ConfigSchema>
