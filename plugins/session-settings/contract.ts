import type { Static, TObject } from 'wamux/plugin'

/** Settings of a plugin that each session has for itself, as the plugin contributes them. */
export interface SessionSettingsContribution {
  /** For people, as the heading of a form. */
  readonly title: string
  /** Every field has a description; the defaults are those of sessions that have set nothing. */
  readonly schema: TObject
  /** Whether the plugin is on in a session that has not said so; default true. */
  readonly isOnByDefault?: boolean
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
