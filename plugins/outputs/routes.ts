import { type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import type { Outputs } from './contract.ts'

type Deps = Pick<Kernel<unknown>, 'consumers'> & { outputs: Outputs }

const State = T.Object({
  Name: T.String({ description: 'Of the plugin, and of its consumer' }),
  Broker: T.String(),
  Connected: T.Boolean(),
  Published: T.Integer({ description: 'Messages that the broker has confirmed since the start' }),
  Failed: T.Integer({ description: 'Tries that have failed since the start' }),
  Error: T.String({
    description: 'Why it is not connected, or why the last try failed; empty if it succeeded',
  }),
  LastPublished: T.String({ description: 'Empty before the first' }),
  Lag: T.Integer({ description: 'Logged events that are not handled yet' }),
})

export const routes = (r: RouteBuilder<Deps>) => [
  r.get('/server/outputs', {
    summary: 'List the brokers that events are published to',
    access: 'admin',
    description:
      'The outputs of the process that answers. For their cursors and dead letters see the consumer of the same name in GET /server/consumers.',
    response: T.Object({ Outputs: T.Array(State) }),
    async handle(_, { consumers, outputs }) {
      const lags = new Map(consumers.list().map(({ name, lag }) => [name, lag]))
      return {
        Outputs: outputs.states().map((state) => ({
          Name: state.name,
          Broker: state.broker,
          Connected: state.isConnected,
          Published: state.published,
          Failed: state.failed,
          Error: state.error,
          LastPublished: state.publishedAt ? new Date(state.publishedAt).toISOString() : '',
          Lag: lags.get(state.name) ?? 0,
        })),
      }
    },
  }),
]
