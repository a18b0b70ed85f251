/** What a person confirms of the calls that can be undone; the others are always confirmed. */
export const WHEN = ['always', 'newChats', 'never'] as const
export type ConfirmSends = (typeof WHEN)[number]

/** The header that makes the gateway refuse what is not confirmed (plugin `confirmation`). */
export const UNCONFIRMED: Readonly<Record<ConfirmSends, Readonly<Record<string, string>>>> = {
  always: { 'x-unconfirmed': 'none' },
  newChats: { 'x-unconfirmed': 'known-chats' },
  never: { 'x-unconfirmed': 'reversible' },
}
