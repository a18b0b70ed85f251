/** Which sends a person confirms. */
export const WHEN = ['always', 'newChats', 'never'] as const
export type ConfirmSends = (typeof WHEN)[number]

/** The header by which the gateway refuses those sends until they are confirmed. */
export const UNCONFIRMED: Readonly<Record<ConfirmSends, Readonly<Record<string, string>>>> = {
  always: { 'x-unconfirmed-sends': 'none' },
  newChats: { 'x-unconfirmed-sends': 'known-chats' },
  never: {},
}
