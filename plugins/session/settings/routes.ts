import { type RouteBuilder, T } from 'wamux/plugin'
import type { SettingsService, SettingsView } from './settings.ts'

const View = T.Object({
  Plugin: T.String(),
  Title: T.String(),
  Enabled: T.Boolean({ description: 'Whether this session has the plugin on' }),
  Values: T.Record(T.String(), T.Unknown(), { description: 'With the defaults, and without secrets' }),
  Secrets: T.Record(T.String(), T.Boolean(), {
    description: 'For each setting that is never shown (`writeOnly` in `Schema`): whether it is set',
  }),
  Schema: T.Unknown({ description: 'JSON Schema of `Values`, for building a form' }),
})

const access = 'token'

export const routes = <D extends { sessionSettings: SettingsService }>(r: RouteBuilder<D>) => [
  r.get('/session/settings', {
    isSensitive: true,
    summary: 'List the per-session settings of plugins',
    description: 'Each with its JSON Schema and the values of the session, for building a form.',
    access,
    response: T.Object({ Settings: T.Array(View) }),
    handle: async ({ session }, { sessionSettings }) => ({
      Settings: sessionSettings.list(session.id).map(toView),
    }),
  }),
  r.get('/session/settings/:plugin', {
    isSensitive: true,
    params: { plugin: 'calls' },
    summary: "Show this session's settings of a plugin",
    description: 'Unset values have their defaults.',
    access,
    errors: ['ITEM_UNKNOWN'],
    response: View,
    handle: async ({ session, params }, { sessionSettings }) =>
      toView(sessionSettings.view(session.id, params['plugin'] ?? '')),
  }),
  r.put('/session/settings/:plugin', {
    leaves: [],
    params: { plugin: 'calls' },
    summary: "Change this session's settings of a plugin",
    access,
    audit: 'session.settings',
    description:
      'Absent fields are unchanged. `Values` replaces all values; a missing one has its default. A secret (`writeOnly` in `Schema`) is kept until a new one is set; `""` or `null` removes it.',
    example: { Enabled: true },
    errors: ['ITEM_UNKNOWN', 'PLUGIN_UNAVAILABLE'],
    body: T.Object({
      Enabled: T.Optional(T.Boolean({ description: 'Switches the plugin on or off in this session' })),
      Values: T.Optional(
        T.Object({}, { additionalProperties: true, description: 'Settings by name, as in `Schema`' }),
      ),
    }),
    response: View,
    handle: async ({ session, params, body }, { sessionSettings }) => {
      const change = { isOn: body.Enabled, values: body.Values && { ...body.Values } }
      return toView(await sessionSettings.set(session.id, params['plugin'] ?? '', change))
    },
  }),
]

function toView({ plugin, title, isOn, values, secrets, schema }: SettingsView) {
  const [Values, Secrets] = [{ ...values }, { ...secrets }]
  return { Plugin: plugin, Title: title, Enabled: isOn, Values, Secrets, Schema: schema }
}
