import { T } from 'wamux/plugin'
import { stateFields } from './state-view.ts'

export type { Static } from 'wamux/plugin'

export const Done = T.Object({ Details: T.String() }, { title: 'Done' })

/** Of the operator, such as `{ customer: 'acme' }`. */
export const Labels = T.Record(T.String(), T.String({ maxLength: 256 }), {
  maxProperties: 32,
  propertyNames: { maxLength: 64, pattern: '^[A-Za-z0-9][A-Za-z0-9._/-]*$' },
  description:
    'Names and values of your own, at most 32 (64 and 256 characters): set as a whole, delivered as `labels` with every event',
  examples: [{ customer: 'acme' }],
})

export const Row = T.Object(
  {
    Id: T.String(),
    Name: T.String(),
    Token: T.String({
      description: 'Empty for keys, and where a login of the dashboard stands for the admin token',
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
      T.String({ description: 'A security problem of the session, such as a short token' }),
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
