/** Which sends a person confirms. */
export const WHEN = ['always', 'newChats', 'never'] as const
export type ConfirmSends = (typeof WHEN)[number]

/** The header that makes the gateway refuse unconfirmed sends. */
export const UNCONFIRMED: Readonly<Record<ConfirmSends, Readonly<Record<string, string>>>> = {
  always: { 'x-unconfirmed-sends': 'none' },
  newChats: { 'x-unconfirmed-sends': 'known-chats' },
  never: {},
}
