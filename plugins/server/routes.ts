import { type Kernel, type RouteBuilder, T } from 'wamux/plugin'

const Setting = T.Object({
  Name: T.String(),
  Description: T.String(),
  Default: T.String({ description: 'JSON; empty without one' }),
  Value: T.String({
    description:
      'JSON; empty for a text, list or object that differs from the default, since it may be a secret',
  }),
  IsChanged: T.Boolean({ description: 'It differs from the default' }),
})

export const routes = <D extends Kernel<unknown>>(r: RouteBuilder<D>) => [
  r.get('/server/ok', {
    ignoresUnknown: true,
    summary: 'Health: answers as soon as the gateway listens',
    description:
      'Needs no token and answers as long as the process runs; `GET /server/ready` checks the dependencies.',
    access: 'public',
    response: T.Object({ status: T.String(), Details: T.String() }),
    handle: async () => ({ status: 'ok', Details: 'Server is up' }),
  }),
  r.post('/server/license', {
    ignoresUnknown: true,
    leaves: [],
    summary: 'Licence status; wamux is free and uses no licence server',
    description: 'Always active, without an expiration; exists for clients that request it.',
    access: 'admin',
    response: T.Object({
      Licensed: T.Boolean(),
      Status: T.String(),
      Expiration: T.Null(),
      Version: T.String(),
    }),
    handle: async (_, { settings }) => ({
      Licensed: true,
      Status: 'active',
      Expiration: null,
      Version: settings.version,
    }),
  }),
  r.get('/server/update', {
    ignoresUnknown: true,
    summary: 'The running version; the gateway never updates itself',
    description: 'The installed version; look for releases where you obtained it.',
    access: 'admin',
    adminInQuery: true,
    response: T.Object({
      CurrentVersion: T.String(),
      LatestVersion: T.Null(),
      UpdateAvailable: T.Boolean(),
      Details: T.String(),
    }),
    handle: async (_, { settings }) => ({
      CurrentVersion: settings.version,
      LatestVersion: null,
      UpdateAvailable: false,
      Details: 'wamux does not check for updates; see its change log',
    }),
  }),
  r.get('/server/plugins', {
    summary: 'List the enabled plugins and their state',
    description: 'With version, state, services and events of each; a plugin that failed shows why.',
    access: 'admin',
    response: T.Array(
      T.Object({
        Name: T.String(),
        Version: T.String(),
        State: T.String({ description: '`ready`, or `failed` for an optional plugin that did not start' }),
        Error: T.Optional(T.String()),
        TranslatorFailures: T.Integer({
          description:
            'Number of signals that it failed to translate since the start; the log has the event Unreadable of each',
        }),
        Settings: T.Array(Setting, {
          description: 'Settings are read at the start: change the configuration',
        }),
      }),
    ),
    handle: async (_, { describe }) =>
      describe().plugins.map(({ name, version, state, error, translatorFailures = 0, settings }) => ({
        Name: name,
        Version: version,
        State: state,
        ...(error ? { Error: error } : {}),
        TranslatorFailures: translatorFailures,
        Settings: settings.map(({ name, description, default: usual, value, isChanged }) => ({
          Name: name,
          Description: description,
          Default: usual,
          Value: value,
          IsChanged: isChanged,
        })),
      })),
  }),
]
