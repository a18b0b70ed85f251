import type { PluginDb, Row, Vault, Write } from 'wamux/plugin'
import type { SettingSignal } from '../sdk.ts'

/**
 * Which settings a session has been told of. The state of a collection names them by MACs alone, from which no removed
 * setting can be told.
 */
export interface SettingIndexes {
  /** The write that notes a setting, or forgets a removed one: for the commit of its signal. */
  note(signal: SettingSignal): Write
  /** Notes a setting that is no signal. */
  save(signal: SettingSignal): Promise<void>
  /** The settings of a collection, as far as it was known by this version, that are not among those present. */
  missing(collection: string, version: number, present: ReadonlySet<string>): Promise<string[][]>
}

/** A setting's index in the form in which indexes are compared. */
export const textOf = (index: readonly string[]): string => JSON.stringify(index)

const KEY = ['session', 'collection', 'setting'] as const
const PLACE = 'baileys/settings'

export function createSettingIndexes(db: PluginDb, vault: Vault, session: string): SettingIndexes {
  function note({ collection, version, operation, index }: SettingSignal): Write {
    const text = textOf(index)
    const key = { session, collection, setting: vault.index(session, PLACE, text) }
    if (operation === 'remove') return db.remove('settings', KEY, [key])
    const name = vault.seal(session, `${PLACE}/${key.setting}`, text)
    return db.put('settings', KEY, [{ ...key, version, name }])
  }

  return {
    note,
    save: (signal) => db.write([note(signal)]),
    async missing(collection, version, present) {
      const rows = await db
        .read<Row>(db.table('settings'))
        .where({ session, collection })
        .where('version', '<=', version)
      const kept = new Set([...present].map((text) => vault.index(session, PLACE, text)))
      return rows
        .filter(({ setting }) => !kept.has(String(setting)))
        .map(({ setting, name }) => {
          const text = vault.open(session, `${PLACE}/${setting}`, name as Buffer).toString()
          return JSON.parse(text) as string[]
        })
    },
  }
}
