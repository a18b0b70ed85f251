import { definePlugin, type ExplainedErrorRow, T } from 'wamux/plugin'
import { createConfirmation } from './confirm.ts'

const errors = {
  UNCONFIRMED: [
    428,
    'A person must confirm this call first',
    {
      meaning: 'A person must confirm the call before it is done.',
      cause:
        'The client sent the header `X-Unconfirmed`, and the call lets something out of the account that the header does not cover, or can not be undone; `details` says what.',
      remedy:
        'Show the call and `details` to a person, and repeat it without the header once it is confirmed.',
    },
  ],
} as const satisfies Record<string, ExplainedErrorRow>

type Errors = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Errors {}
}

/** Refuses calls that a person has to confirm, for clients that ask one. */
export default definePlugin({
  name: 'confirmation',
  version: '0.1.0',
  api: '^1.0.0',
  needs: ['targets'],
  wants: ['contacts'],
  errors,
  config: T.Object({
    knownHosts: T.Array(T.String(), {
      default: [],
      description:
        'Hosts of files that need no confirmation with `X-Unconfirmed: known-chats`, for example files.shop.example',
    }),
  }),
  contributes: { permit: createConfirmation },
})
