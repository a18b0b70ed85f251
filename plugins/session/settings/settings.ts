import {
  ALL_OWNED,
  checkConfig,
  createKeyedQueue,
  gatewayError,
  isGatewayError,
  type Kernel,
  type Ownership,
  type Row,
  reasonOf,
  type Static,
  type TObject,
  withTimeout,
} from 'wamux/plugin'
import type { SessionSettings, SessionSettingsContribution, SettingFault } from './contract.ts'
import { assertSecrets, redacted, secretsOf, withoutSecrets, withSecrets } from './secrets.ts'

export interface SettingsView extends SessionSettingsContribution {
  readonly plugin: string
  readonly isOn: boolean
  /** Without secrets. */
  readonly values: Readonly<Record<string, unknown>>
  /** Which secrets are set, by name. */
  readonly secrets: Readonly<Record<string, boolean>>
}

export interface SettingsService extends SessionSettings {
  list(session: string): SettingsView[]
  /** Throws ITEM_UNKNOWN for a plugin without such settings. */
  view(session: string, plugin: string): SettingsView
  /**
   * Rejects ITEM_UNKNOWN for a plugin without such settings, FIELD_INVALID for values that its schema or the plugin itself
   * refuses, PLUGIN_UNAVAILABLE if the plugin could not check them.
   */
  set(session: string, plugin: string, change: Change): Promise<SettingsView>
  /** Reads the stored settings; those of a gained session are reread automatically. */
  start(): Promise<void>
  stop(): void
}

/** Absent fields are unchanged. */
interface Change {
  readonly isOn?: boolean | undefined
  readonly values?: Readonly<Record<string, unknown>> | undefined
}

interface Stored {
  readonly isOn: boolean | undefined
  /** As given, without defaults. */
  readonly given: Readonly<Record<string, unknown>>
  /** With the defaults of the schema. */
  readonly values: Readonly<Record<string, unknown>>
}

type Deps = Pick<Kernel<unknown>, 'contributions' | 'db' | 'log' | 'vault'> & {
  ownership?: Ownership | undefined
}

/** How long a plugin may take to check values, which may involve a server. */
const VALIDATE_MS = 10_000

export function createSettings({
  contributions,
  db,
  log,
  vault,
  ownership = ALL_OWNED,
}: Deps): SettingsService {
  /** By session and plugin. */
  const stored = new Map<string, Stored>()
  const defaults = new Map<string, Stored>()
  /** Serialized per session and plugin: each change builds on the previous values. */
  const changes = createKeyedQueue()
  const keyOf = (session: string, plugin: string): string => `${session}/${plugin}`
  const placeOf = (plugin: string): string => `session_settings_values/${plugin}`
  /** Gained sessions, whose settings another process may have changed. */
  const unread = new Set<string>()
  // Registered at creation: dependents of this service watch later, and see a gained session as unread.
  const stopWatching = ownership.watch((session, isOwned) => {
    if (!isOwned) return undefined
    unread.add(session)
    return ready(session)
  })

  const find = (plugin: string): SessionSettingsContribution | undefined =>
    contributions('sessionSettings').find((one) => one.plugin === plugin)?.value
  function require(plugin: string): SessionSettingsContribution {
    const found = find(plugin)
    if (!found) throw gatewayError('ITEM_UNKNOWN', [`Settings of "${plugin}" per session`])
    return found
  }
  function check(schema: TObject, given: Record<string, unknown>): Stored['values'] {
    const checked = checkConfig(schema, given)
    if ('config' in checked) return checked.config
    throw gatewayError('FIELD_INVALID', ['Values', checked.faults.join('; ')])
  }
  /** The plugin's own check of values. */
  async function assertRight(session: string, plugin: string, values: Stored['values']): Promise<void> {
    const { schema, validate } = require(plugin)
    if (!validate) return
    const failed = (reason: string): Error => gatewayError('PLUGIN_UNAVAILABLE', [plugin, reason])
    const late = (): never => {
      throw failed('it did not check its settings in time')
    }
    const asked = (async (): Promise<SettingFault | undefined> => validate(values, session))()
    const fault = await withTimeout(asked, VALIDATE_MS, late).catch((error: unknown) => {
      if (isGatewayError(error)) throw error
      const reason = redacted(schema, values, reasonOf(error))
      log.error({ session, of: plugin, reason }, 'settings not checked')
      throw failed('it could not check its settings')
    })
    if (fault) {
      const reason = redacted(schema, values, fault.reason)
      throw gatewayError('FIELD_INVALID', ['Values', `"${fault.field}" ${reason}`])
    }
  }
  function ofSession(session: string, plugin: string): Stored {
    const own = stored.get(keyOf(session, plugin))
    if (own) return own
    const known = defaults.get(plugin)
    const standing = known ?? { isOn: undefined, given: {}, values: check(require(plugin).schema, {}) }
    defaults.set(plugin, standing)
    return standing
  }

  async function load(sessions?: readonly string[]): Promise<void> {
    const query = db.read<Row>(db.table('settings_values'))
    if (sessions) query.whereIn('session', [...sessions])
    for (const row of await query) {
      const [session, plugin] = [String(row['session']), String(row['plugin'])]
      const schema = find(plugin)?.schema
      // The values of a currently disabled plugin are kept.
      if (!schema) continue
      const given = JSON.parse(vault.open(session, placeOf(plugin), row['value'] as Buffer).toString())
      const isOn = row['is_on'] === null ? undefined : Boolean(row['is_on'])
      try {
        stored.set(keyOf(session, plugin), { isOn, given, values: check(schema, given) })
      } catch (error) {
        log.error({ session, of: plugin, err: error }, 'stored settings no longer fit; defaults apply')
      }
    }
  }
  async function ready(session: string): Promise<void> {
    if (!unread.has(session)) return
    await load([session])
    unread.delete(session)
  }
  function view(session: string, plugin: string): SettingsView {
    const own = require(plugin)
    const { isOn = own.isOnByDefault ?? true, values } = ofSession(session, plugin)
    const secrets = Object.fromEntries(secretsOf(own.schema).map((name) => [name, name in values]))
    return { ...own, plugin, isOn, values: withoutSecrets(own.schema, values), secrets }
  }

  async function set(session: string, plugin: string, { isOn, values }: Change): Promise<SettingsView> {
    const { schema } = require(plugin)
    const before = ofSession(session, plugin)
    const given = values ? withSecrets(schema, values, before.given) : before.given
    const next = { isOn: isOn ?? before.isOn, given, values: check(schema, { ...given }) }
    if (values) await assertRight(session, plugin, next.values)
    const value = vault.seal(session, placeOf(plugin), JSON.stringify(given))
    await db.write([
      db.put(
        'settings_values',
        ['session', 'plugin'],
        [{ session, plugin, is_on: next.isOn ?? null, value }],
      ),
    ])
    stored.set(keyOf(session, plugin), next)
    return view(session, plugin)
  }

  return {
    isOn: (session, plugin) => (find(plugin) ? view(session, plugin).isOn : true),
    of: <S extends TObject>(session: string, plugin: string, _schema: S) =>
      // Already checked against this schema, which is the plugin's.
      ofSession(session, plugin).values as Static<S>,
    ready,
    view,
    list: (session) => contributions('sessionSettings').map(({ plugin }) => view(session, plugin)),
    set: (session, plugin, change) => changes.run(keyOf(session, plugin), () => set(session, plugin, change)),
    async start() {
      for (const { plugin, value } of contributions('sessionSettings')) {
        assertSecrets(plugin, value.schema)
        ofSession('', plugin)
      }
      await load()
    },
    stop: stopWatching,
  }
}
