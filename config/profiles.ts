import { CARDS } from './builtin.ts'

const every = Object.keys(CARDS)
const named = (profile: string): string[] => every.filter((name) => CARDS[name]?.profiles.includes(profile))

/** Which built-in plugins are on; the key `plugins` switches single ones on top of it. */
export const PROFILES = {
  /** Sessions, sending, webhook, health, and what those need: no more. */
  minimal: named('minimal'),
  /** All but what must be asked for: the sandbox must not be met by accident, and pacing makes sends slow. */
  standard: named('standard'),
  all: every,
} satisfies Record<string, readonly string[]>

export type Profile = keyof typeof PROFILES
