import { CARDS } from './builtin.ts'

const every = Object.keys(CARDS)
const named = (profile: string): string[] => every.filter((name) => CARDS[name]?.profiles.includes(profile))

/** The built-in plugins of each profile; the key `plugins` switches single plugins on top of it. */
export const PROFILES = {
  /** Sessions, sending, webhook, health, and what those need. */
  minimal: named('minimal'),
  /** All but the sandbox, which must not be reachable by accident, and pacing, which makes sends slow. */
  standard: named('standard'),
  all: every.filter((name) => !CARDS[name]?.isOptIn),
} satisfies Record<string, readonly string[]>

export type Profile = keyof typeof PROFILES
