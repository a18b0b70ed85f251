import { type GatewayServices, reasonOf, T } from 'wamux/plugin'

/** Settings of each session. */
export const settings = T.Object({
  reject: T.Boolean({
    title: 'Reject calls',
    default: false,
    description: 'Incoming calls are rejected, except from the numbers below',
  }),
  text: T.String({
    title: 'Text after a rejected call',
    default: '',
    maxLength: 4_096,
    description: 'Sent to the caller; none when empty',
  }),
  allow: T.Array(T.String({ minLength: 1, maxLength: 256 }), {
    title: 'Never reject',
    default: [],
    maxItems: 1_000,
    description: 'Phone numbers or JIDs whose calls are not rejected',
  }),
})

/** An invalid address would never match, and the person could not get through. */
export function faultIn({ allow }: Readonly<Record<string, unknown>>, targets: GatewayServices['targets']) {
  for (const one of allow as string[])
    try {
      targets.toChat(one)
    } catch (error) {
      return { field: 'allow', reason: `must be phone numbers or JIDs: ${reasonOf(error)}` }
    }
  return undefined
}
