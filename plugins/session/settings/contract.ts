import type { Static, TObject } from 'wamux/plugin'

/** Settings of a plugin that each session has for itself, as the plugin contributes them. */
export interface SessionSettingsContribution {
  /** For people, as the heading of a form. */
  readonly title: string
  /**
   * Every field has a description; the defaults are those of sessions that have set nothing. An optional text with
   * `writeOnly: true` is a secret: only the plugin gets it, and everybody else sees whether it is set.
   */
  readonly schema: TObject
  /**
   * Says what is wrong with values that the schema allows, defaults and secrets included, before they are stored, within ten
   * seconds. A gateway error that it throws is answered as it is.
   */
  validate?(
    values: SettingValues,
    session: string,
  ): SettingFault | undefined | Promise<SettingFault | undefined>
  /** Whether the plugin is on in a session that has not said so; default true. */
  readonly isOnByDefault?: boolean
}

export type SettingValues = Readonly<Record<string, unknown>>

/** What is wrong with a setting, as in `"url" does not answer`. */
export interface SettingFault {
  readonly field: string
  /** Without the value, which the client knows. */
  readonly reason: string
}

/** What sessions have set. Read from memory. */
export interface SessionSettings {
  /** Whether the session has the plugin on; true for a plugin without settings per session. */
  isOn(session: string, plugin: string): boolean
  /**
   * The settings of a session, with the defaults. Throws ITEM_UNKNOWN where the plugin contributes no settings.
   *
   * @param schema the one that the plugin contributes.
   */
  of<S extends TObject>(session: string, plugin: string, schema: S): Static<S>
  /**
   * Resolves once what is stored has been read: at once, except for a session that this process has just gained from another
   * one. For consumers, which may get events of such a session before that; links are opened after it.
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
