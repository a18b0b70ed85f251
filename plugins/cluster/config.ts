import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  url: T.Optional(
    T.String({
      pattern: '^https?://[^/?#]+/?$',
      description:
        'Address at which the other nodes reach this one, for example http://10.0.0.5:8080; required',
    }),
  ),
  secret: T.Optional(
    T.String({
      minLength: 32,
      description: 'Secret that signs requests between nodes, the same on every node; required',
    }),
  ),
  name: T.Optional(
    T.String({
      pattern: '^[\\w.-]{1,64}$',
      description: 'Name of this node in lists and metrics; by default the name of the machine',
    }),
  ),
  leaseMs: T.Integer({
    default: 15_000,
    minimum: 1_500,
    maximum: 600_000,
    description:
      'Milliseconds after which the sessions of a silent node are taken over, the same on every node. A node that cannot renew its lease closes its links after two thirds of this time',
  }),
  restoreRate: T.Integer({
    default: 20,
    minimum: 1,
    maximum: 1_000,
    description: 'Sessions per second that this node takes over and connects',
  }),
})

export type ClusterConfig = Static<typeof ConfigSchema>
