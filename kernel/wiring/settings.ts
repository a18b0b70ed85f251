import type { TSchema } from 'typebox'
import type { SettingView } from '../types/plugin.ts'

/** The settings of a plugin. A changed text, list or object is shown only as changed, since it may hold a secret. */
export function settingsOf(
  schema: TSchema | undefined,
  config: Readonly<Record<string, unknown>>,
): SettingView[] {
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
