import type { Keys } from './account.ts'

/** Types of keys of Baileys 6 and 7. A longer name stands before one that it begins with. */
const TYPES = [
  'app-state-sync-version',
  'app-state-sync-key',
  'sender-key-memory',
  'sender-key',
  'identity-key',
  'lid-mapping',
  'device-list',
  'device-index',
  'pre-key',
  'session',
  'tctoken',
]

/**
 * Collects keys by names such as `session-5511….0`.
 *
 * @param entries names with the JSON that Baileys' BufferJSON wrote.
 * @returns the keys, and the names that are of no known type.
 * @throws SyntaxError
 */
export function collectKeys(entries: Iterable<readonly [name: string, json: string]>): {
  keys: Keys
  unknown: string[]
} {
  const keys: Keys = {}
  const unknown: string[] = []
  for (const [name, json] of entries) {
    const type = TYPES.find((one) => name.startsWith(`${one}-`))
    if (!type) {
      unknown.push(name)
      continue
    }
    keys[type] ??= {}
    JSON.parse(json)
    keys[type][name.slice(type.length + 1)] = json
  }
  // Who has the sender key of a group. Baileys 6 keeps that key under another name: a message under a new one would be
  // unreadable for those who are listed. Without the list the next message takes its key along.
  delete keys['sender-key-memory']
  return { keys, unknown }
}

/**
 * The name that Baileys has made a file name of: it writes `/` as `__` and `:` as `-`. The first is in base64 alone, the
 * second between the parts of the name of a sender key, `<group>::<user>::<device>`.
 */
export function nameOfFile(file: string): string {
  const name = file.replace(/\.json$/, '').replaceAll('__', '/')
  const [, prefix, group, user, device] = /^(sender-key-)(?!memory-)(.+)--(.+)--(\d+)$/.exec(name) ?? []
  return prefix ? `${prefix}${group}::${user}::${device}` : name
}
