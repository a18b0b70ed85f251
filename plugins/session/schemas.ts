import { T } from 'wamux/plugin'
import { stateFields } from './state-view.ts'

export type { Static } from 'wamux/plugin'

export const Done = T.Object({ Details: T.String() }, { title: 'Done' })

/** Set by the operator, for example `{ customer: 'acme' }`. */
export const Labels = T.Record(T.String(), T.String({ maxLength: 256 }), {
  maxProperties: 32,
  propertyNames: { maxLength: 64, pattern: '^[A-Za-z0-9][A-Za-z0-9._/-]*$' },
  description:
    'Your own names and values, at most 32 (64 and 256 characters): set as a whole, and delivered as `labels` with every event',
  examples: [{ customer: 'acme' }],
})

export const Row = T.Object(
  {
    Id: T.String(),
    Name: T.String(),
    Token: T.String({
      description: 'Empty for keys, and for a login of the dashboard with the admin token',
    }),
    Os: T.String(),
    webhook: T.String(),
    subscribe: T.Array(T.String()),
    Labels,
    JID: T.String({ description: 'Empty until a phone has linked the session' }),
  },
  { title: 'Session' },
)

export const NewRow = T.Object(
  {
    ...Row.properties,
    Warning: T.Optional(
      T.String({ description: 'A security problem of the session, for example a short token' }),
    ),
  },
  { title: 'NewSession' },
)

export const RowWithState = T.Object(
  {
    ...Row.properties,
    Connected: T.Boolean(),
    LoggedIn: T.Boolean(),
    ...stateFields,
  },
  { title: 'SessionWithState' },
)
