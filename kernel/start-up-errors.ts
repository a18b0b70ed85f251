import type { ExplainedErrorRow } from './types/errors.ts'

/** Start-up errors: shown in the log and by the command line, never over HTTP. */
export const START_UP = {
  START_FAILED: [
    500,
    'The gateway did not start:\n%s',
    {
      meaning: 'The gateway did not start.',
      cause: 'One or more plugins or settings have errors; the text lists each with its cause.',
      remedy: 'Correct the listed errors; `wamux check` shows them without starting.',
    },
  ],
  PLUGIN_INVALID: [
    500,
    '%s is not a wamux plugin: %s; update it, or remove it from "plugins"',
    {
      meaning: 'A listed module is not a plugin of wamux.',
      cause:
        'The path or package is a different module, or was written for another major version of the plugin contract.',
      remedy: 'Update it, or remove it from `plugins`.',
    },
  ],
  PLUGIN_DUPLICATE: [
    500,
    'plugin "%s" is listed twice; remove one of them from "plugins"',
    {
      meaning: 'A plugin is listed twice.',
      cause: 'It is in the profile under its name and in `plugins` by path or package.',
      remedy: 'Remove one of the entries from `plugins`.',
    },
  ],
  PLUGIN_NAME_TAKEN: [
    500,
    'plugin "%s" would share its tables with %s; only one of them can be enabled',
    {
      meaning: 'Two plugins would share their tables.',
      cause: 'Their names differ only in characters that names of tables do not have.',
      remedy: 'Enable one of them only, or rename your plugin.',
    },
  ],
  PLUGIN_API: [
    500,
    'plugin "%s" was written for plugin API %s, this is %s; install the version of it that fits this wamux',
    {
      meaning: 'A plugin was written for another version of the plugin API.',
      cause: 'The gateway or the plugin was updated alone.',
      remedy: 'Install the version of the plugin that fits this wamux.',
    },
  ],
  PLUGIN_CONFIG: [
    500,
    'configuration of plugin "%s": %s; correct it in the file or in WAMUX_%s_…',
    {
      meaning: 'A setting of a plugin is invalid.',
      cause: 'A value in the configuration file or the environment has the wrong type or an unknown name.',
      remedy: 'Correct the setting; the reference has all of them.',
    },
  ],
  PLUGIN_NEED_MISSING: [
    500,
    'plugin "%s" needs "%s", which no enabled plugin provides; add one that does to "plugins"',
    {
      meaning: 'A plugin needs a service that no enabled plugin provides.',
      cause: 'The plugin that provides it is switched off or not installed.',
      remedy: 'Enable a plugin that provides the service, or switch off the one that needs it.',
    },
  ],
  PLUGIN_NEED_FAILED: [
    500,
    'plugin "%s" needs "%s", whose plugin did not start; fix that one first',
    {
      meaning: 'A plugin did not start because one that it needs failed.',
      cause: 'The needed plugin has an error of its own, which the same list shows.',
      remedy: 'Correct that plugin first.',
    },
  ],
  PLUGIN_SERVICE_TAKEN: [
    500,
    '"%s" is provided by both "%s" and "%s"; enable one of them',
    {
      meaning: 'Two plugins provide the same service.',
      cause: 'Both are enabled, and neither declares that it replaces the other.',
      remedy: 'Enable one of them.',
    },
  ],
  PLUGIN_SERVICE_INVALID: [
    500,
    'plugin "%s", service "%s": %s; its author must fix that',
    {
      meaning: 'A service of a plugin can not be built.',
      cause: 'A defect of the plugin.',
      remedy: 'Report it to the author of the plugin, and remove the plugin from `plugins` until then.',
    },
  ],
  PLUGIN_CYCLE: [
    500,
    'circular dependency of plugins: %s; remove one of them from "plugins"',
    {
      meaning: 'Plugins depend on each other in a circle.',
      cause: 'Each needs a service of the next, so none can start first.',
      remedy:
        'Remove one of them from `plugins`; its author can declare the service in `wants` instead of `needs`.',
    },
  ],
  PLUGIN_ROUTE_TAKEN: [
    500,
    '%s is registered by both "%s" and "%s"; enable one of them',
    {
      meaning: 'Two plugins register the same route.',
      cause: 'They are alternatives, or one copies the other.',
      remedy: 'Enable one of them.',
    },
  ],
  PLUGIN_ROUTE_INVALID: [
    500,
    'plugin "%s", route %s: %s; its author must fix that',
    {
      meaning: 'A route of a plugin is declared incorrectly.',
      cause: 'A defect of the plugin.',
      remedy: 'Report it to the author of the plugin, and remove the plugin from `plugins` until then.',
    },
  ],
  PLUGIN_EVENT_TAKEN: [
    500,
    'event "%s" is declared by both "%s" and "%s"; enable one of them',
    {
      meaning: 'Two plugins declare the same event.',
      cause: 'They are alternatives, or one copies the other.',
      remedy: 'Enable one of them.',
    },
  ],
  PLUGIN_ERROR_TAKEN: [
    500,
    'error "%s" is declared by both "%s" and "%s"; enable one of them',
    {
      meaning: 'Two plugins declare the same error code.',
      cause: 'Codes are unique among the kernel and all plugins.',
      remedy: 'Enable one of them; the author should give the codes of the plugin a prefix.',
    },
  ],
  PLUGIN_ERROR_INVALID: [
    500,
    'plugin "%s", error "%s": %s; its author must fix that',
    {
      meaning: 'An error of a plugin is declared incorrectly.',
      cause: 'Its code, status or text breaks a rule, which the text names.',
      remedy: 'Report it to the author of the plugin, and remove the plugin from `plugins` until then.',
    },
  ],
  PLUGIN_TABLE: [
    500,
    'plugin "%s" created the table "%s"; its tables must begin with "%s_"; all changes were rolled back, and its author must fix that',
    {
      meaning: 'A plugin created a table outside its own names.',
      cause: 'A defect of its migration; all its changes were rolled back.',
      remedy: 'Report it to the author of the plugin, and remove the plugin from `plugins` until then.',
    },
  ],
  PLUGIN_FAILED: [
    500,
    'plugin "%s" failed in %s: %s; fix it, remove it from "plugins", or make it "optional: true"',
    {
      meaning: 'A plugin failed while it started.',
      cause: 'Its set-up, a migration or a contribution threw the error in the text.',
      remedy:
        'Correct the cause, remove the plugin from `plugins`, or set `optional: true` to start without it.',
    },
  ],
  PLUGIN_TIMEOUT: [
    500,
    'plugin "%s" did not finish %s within %s s; fix it, remove it from "plugins", or make it "optional: true"',
    {
      meaning: 'A plugin did not finish a step of its start in time.',
      cause: 'A service that it waits for does not answer.',
      remedy:
        'Check that service, remove the plugin from `plugins`, or set `optional: true` to start without it.',
    },
  ],
  CONFIG_INVALID: [
    500,
    'configuration: %s',
    {
      meaning: 'A setting of the gateway is invalid.',
      cause: 'A value in the configuration file or the environment has the wrong type, range or name.',
      remedy: 'Correct the setting; `wamux check` prints all with their sources.',
    },
  ],
  DATA_FOLDER: [
    500,
    'the data folder %s can not be created: %s',
    {
      meaning:
        'The gateway could not create the folder of `dataDir`, in which it keeps its database and keys.',
      cause:
        'The user of the process may not write in the parent folder, a part of the path is a file, or the file system is read-only.',
      remedy:
        'Create the folder for the user of the process, or set `WAMUX_DATA_DIR` to one that it may write in.',
    },
  ],
  DATABASE_LOCKED: [
    500,
    'another wamux process already uses %s, and only one process may use a database, unless all of them run a plugin that shares it: stop that one, or configure another database for this one',
    {
      meaning: 'Another process uses the database.',
      cause:
        'A second gateway was started on the same data folder or database, or the first is still stopping.',
      remedy: 'Stop the other process, use another data folder, or enable the plugin cluster on PostgreSQL.',
    },
  ],
  DATABASE_POOLED: [
    500,
    'database %s is reached through a connection pooler in transaction mode (PgBouncer, for example): set DATABASE_DIRECT_URL to the address of the server itself as well, for the lock and notifications',
    {
      meaning: 'The database is reached through a connection pooler in transaction mode.',
      cause:
        '`DATABASE_URL` points to PgBouncer or a similar pooler, over which locks and notifications do not work.',
      remedy: 'Set `DATABASE_DIRECT_URL` to the address of the server itself as well.',
    },
  ],
  DATABASE_FAILED: [
    500,
    'database %s: %s',
    {
      meaning: 'The database can not be opened.',
      cause: 'The address, user or password is wrong, the server is down, or the folder is not writable.',
      remedy: 'Correct `DATABASE_URL` or the permissions of the data folder.',
    },
  ],
  SCHEMA_NEWER: [
    500,
    'the tables of "%s" are those of a newer version (%s): start that version or a later one',
    {
      meaning: 'The tables belong to a newer version of wamux.',
      cause: 'The gateway was downgraded after an upgrade had changed the tables.',
      remedy: 'Start that version or a later one, or restore the backup made before the upgrade.',
    },
  ],
} as const satisfies Record<string, ExplainedErrorRow>
