import { CARDS } from './builtin.ts'

const every = Object.keys(CARDS)
const named = (profile: string): string[] => every.filter((name) => CARDS[name]?.profiles.includes(profile))

/** The built-in plugins of each profile; the key `plugins` switches single plugins on or off on top of it. */
export const PROFILES = {
  /** Sessions, sending, webhook, health, and their dependencies. */
  minimal: named('minimal'),
  /** All except the sandbox, which must not be reachable by accident, and pacing, which slows down sends. */
  standard: named('standard'),
  all: every.filter((name) => !CARDS[name]?.isOptIn),
} satisfies Record<string, readonly string[]>

export type Profile = keyof typeof PROFILES
