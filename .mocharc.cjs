const { readdirSync, statSync } = require('node:fs')
const { join } = require('node:path')

/** Files that take long begin first: the last one to begin would run alone in the end. */
const LONG = [
  'test/e2e/access/references.test.ts',
  'test/fuzz/hostile.test.ts',
  'test/fuzz/message-fields.test.ts',
  'test/cluster/web-version.test.ts',
  'test/flapping/flapping.test.ts',
  'test/plugins/baileys/patches.test.ts',
  'test/kit/packed.test.ts',
  'test/interface/network.test.ts',
  'test/crash/crash.test.ts',
  'test/crash/linking.test.ts',
  'test/plugins/dashboard/walk.test.ts',
  'test/plugins/link-page/linking.test.ts',
  'test/config/cli/command-line.test.ts',
  'test/e2e/crossing.test.ts',
  'test/config/cli/backup/backup.test.ts',
  'test/plugins/sandbox/keep.test.ts',
  'test/storage/storage.test.ts',
  'test/config/builtin.test.ts',
  'test/kernel/switch-off.test.ts',
  'test/plugins/baileys/pairing/passkey.test.ts',
  'test/plugins/dashboard/screens.test.ts',
  'test/plugins/schedule/killed.test.ts',
  'test/docs/blocks.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/config/cli/import/baileys-folder.test.ts',
]

/**
 * Only the whole run, as in continuous integration, has these files: on two cores they take as long as all others together. They test
 * pages in a browser, commands, brokers, S3 and attacks in detail.
 */
const ONLY_WHOLE = [
  'test/clients/packages.test.ts',
  'test/config/cli/backup/backup.test.ts',
  'test/config/cli/command-line.test.ts',
  'test/config/cli/remote.test.ts',
  'test/config/cli/start-failures.test.ts',
  'test/config/full-disk.test.ts',
  'test/config/cli/import/baileys-folder.test.ts',
  'test/config/cli/import/wuzapi.test.ts',
  'test/crash/linking.test.ts',
  'test/e2e/access/credentials.test.ts',
  'test/e2e/backlog.test.ts',
  'test/e2e/streams.test.ts',
  'test/fuzz/hostile.test.ts',
  'test/interface/network.test.ts',
  'test/kernel/sessions/restoring.test.ts',
  'test/kernel/switch-off.test.ts',
  'test/kit/auto-responder.test.ts',
  'test/plugins/baileys/app-state/recovery.test.ts',
  'test/plugins/baileys/pairing/codes.test.ts',
  'test/plugins/baileys/pairing/passkey.test.ts',
  'test/plugins/baileys/send/suspects.test.ts',
  'test/plugins/baileys/socket/slow-storage.test.ts',
  'test/plugins/baileys/web-version/outdated.test.ts',
  'test/plugins/dashboard/attention.test.ts',
  'test/plugins/dashboard/away.test.ts',
  'test/plugins/dashboard/chats.test.ts',
  'test/plugins/dashboard/fleet.test.ts',
  'test/plugins/dashboard/inspector.test.ts',
  'test/plugins/dashboard/keys.test.ts',
  'test/plugins/dashboard/names.test.ts',
  'test/plugins/dashboard/palette.test.ts',
  'test/plugins/dashboard/phones.test.ts',
  'test/plugins/dashboard/session-forms.test.ts',
  'test/plugins/dashboard/settings.test.ts',
  'test/plugins/dashboard/webhooks.test.ts',
  'test/plugins/docs/browser.test.ts',
  'test/plugins/issues/announcements.test.ts',
  'test/plugins/link-page/linking.test.ts',
  'test/plugins/media-store-s3/media-store-s3.test.ts',
  'test/plugins/output-mqtt/output-mqtt.test.ts',
  'test/plugins/output-rabbitmq/output-rabbitmq.test.ts',
  'test/plugins/sandbox/keep.test.ts',
  'test/plugins/schedule/offline.test.ts',
  'test/plugins/session/linking-again.test.ts',
  'test/regular-expressions.test.ts',
  'test/storage/storage.test.ts',
]

const isWhole = process.env.WAMUX_TEST_ALL === 'yes'
const isLeftOut = (name) => !isWhole && ONLY_WHOLE.includes(name)
const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((name) => join('test', name))
  .filter((name) => name.endsWith('.test.ts') && !LONG.includes(name) && !name.includes('node_modules'))
  .sort()
const isFolder = (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
const areNamed = process.argv.slice(2).some((argument) => argument.endsWith('.test.ts') || isFolder(argument))

module.exports = {
  'node-option': ['import=tsx', 'conditions=wamux:source'],
  extension: ['test.ts'],
  // Files and folders that the command names are all that runs.
  spec: areNamed ? [] : [...LONG, ...files].filter((name) => !isLeftOut(name)),
  // The last resort, also for a hook that opens a world on a busy machine: tests give up when nothing moves any more, and say what they waited for.
  timeout: 120_000,
  exit: true,
  require: ['test/support/run/hooks.ts'],
  parallel: true,
  // Tests wait for much of their time: two cores serve five files at once, four of the whole run.
  jobs: isWhole ? 4 : 5,
}
