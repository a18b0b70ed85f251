import type { Keys } from './account.ts'

/** Key types of Baileys 6 and 7. A name comes before its own prefixes. */
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
 * Collects keys by names like `session-5511….0`.
 *
 * @param entries names with JSON written by Baileys' BufferJSON. @returns the keys, and the names of unknown type.
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
  // The members who have a group's sender key. Baileys 6 stores that key under another name, and a message under a new key
  // would be unreadable for the listed members. Without the list the next message carries its key.
  delete keys['sender-key-memory']
  return { keys, unknown }
}

/**
 * The key name behind a Baileys file name, in which `/` is `__` and `:` is `-`. The first occurs only in base64, the second
 * between the parts of a sender key name, `<group>::<user>::<device>`.
 */
export function nameOfFile(file: string): string {
  const name = file.replace(/\.json$/, '').replaceAll('__', '/')
  const [, prefix, group, user, device] = /^(sender-key-)(?!memory-)(.+)--(.+)--(\d+)$/.exec(name) ?? []
  return prefix ? `${prefix}${group}::${user}::${device}` : name
}
