import { BUILTIN } from './builtin.ts'

const every = Object.keys(BUILTIN)

/** Off until they are asked for. The sandbox must not be met by accident; pacing makes sends slow. */
const ON_DEMAND: readonly string[] = ['pacing', 'sandbox']

/** Which built-in plugins are on; the key `plugins` switches single ones on top of it. */
export const PROFILES = {
  /** Sessions, sending, webhook, health, and what those need: no more. */
  minimal: [
    'audit',
    'baileys',
    'http-client',
    'media',
    'messaging',
    'send',
    'sending',
    'server',
    'session',
    'webhook',
  ],
  standard: every.filter((name) => !ON_DEMAND.includes(name)),
  all: every,
} satisfies Record<string, readonly string[]>

export type Profile = keyof typeof PROFILES
