import type { Static, TObject } from 'wamux/plugin'

/** Per-session settings contributed by a plugin. */
export interface SessionSettingsContribution {
  /** For people, as the heading of a form. */
  readonly title: string
  /**
   * Every field has a `title`, which the form shows as its label, and a description as its hint; the defaults apply to sessions that have set nothing. An optional text with `writeOnly:
   * true` is a secret: only the plugin receives it, everybody else sees whether it is set.
   */
  readonly schema: TObject
  /**
   * Reports what is wrong with values that pass the schema, including defaults and secrets, before they are stored, within
   * ten seconds. A thrown gateway error is answered unchanged.
   */
  validate?(
    values: SettingValues,
    session: string,
  ): SettingFault | undefined | Promise<SettingFault | undefined>
  /** Whether the plugin is on in a session that has not set it; default true. */
  readonly isOnByDefault?: boolean
}

export type SettingValues = Readonly<Record<string, unknown>>

/** What is wrong with a setting, as in `"url" does not answer`. */
export interface SettingFault {
  readonly field: string
  /** The text leaves out the value, which the client knows. */
  readonly reason: string
}

/** The settings of sessions, read from memory. */
export interface SessionSettings {
  /** Whether the session has the plugin on; true for a plugin without settings per session. */
  isOn(session: string, plugin: string): boolean
  /**
   * The settings of a session, with defaults. Throws ITEM_UNKNOWN if the plugin contributes no settings.
   *
   * @param schema the plugin's contributed schema.
   */
  of<S extends TObject>(session: string, plugin: string, schema: S): Static<S>
  /**
   * Resolves once the stored settings have been read: at once, except for a session just gained from another process. For
   * consumers, which may receive events of such a session before that; links open after it.
   */
  ready(session: string): Promise<void>
}

declare module 'wamux/plugin' {
  interface GatewayContributions {
    sessionSettings: SessionSettingsContribution
  }
  interface GatewayServices {
    sessionSettings: SessionSettings
  }
}
