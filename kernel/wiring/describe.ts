import type { TSchema } from 'typebox'
import { answeredErrors } from '../errors.ts'
import type { Description, SettingView } from '../types/plugin.ts'
import type { Running } from './lifecycle.ts'
import type { Prepared } from './prepare.ts'

/** The enabled plugins, with their states once the gateway runs. */
export function describe(
  version: string,
  prepared: readonly Prepared[],
  running: readonly Running[] = [],
  failuresOf: (plugin: string) => number = () => 0,
): Description {
  return {
    version,
    errors: Object.assign(answeredErrors(), ...prepared.map(({ plugin }) => plugin.spec.errors)),
    plugins: prepared.map((entry) => {
      const { spec } = entry.plugin
      const run = running.find((candidate) => candidate.entry === entry)
      const state = run ? (run.error ? 'failed' : 'ready') : 'described'
      return {
        name: entry.name,
        version: spec.version,
        state,
        ...(run?.error ? { error: run.error } : {}),
        ...(run ? { translatorFailures: failuresOf(entry.name) } : {}),
        settings: settingsOf(spec.config, entry.config),
        provides: entry.provides,
        needs: spec.needs ?? [],
        overrides: entry.provides.filter((service) =>
          (spec.overrides as readonly string[] | undefined)?.includes(service),
        ),
        decorates: Object.keys(spec.decorates ?? {}),
        contributes: Object.keys(spec.contributes ?? {}),
        collects: [...(spec.collects ?? [])].map(String),
        events: entry.events,
        routes: entry.routes.map(({ route }) => route),
      }
    }),
  }
}

/** The settings of a plugin. A changed text, list or object is shown only as changed, since it may hold a secret. */
function settingsOf(schema: TSchema | undefined, config: Readonly<Record<string, unknown>>): SettingView[] {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, Shape> }
  return Object.entries(properties).map(([name, { description = '', default: fallback }]) => {
    const given = toJson(config[name])
    const usual = toJson(fallback)
    const isChanged = given !== usual
    const isOpen = !isChanged || ['number', 'boolean'].includes(typeof config[name])
    return { name, description, default: usual, value: isOpen ? given : '', isChanged }
  })
}

interface Shape {
  description?: string
  default?: unknown
}

function toJson(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value)
}
