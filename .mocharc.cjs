const { readdirSync, statSync } = require('node:fs')
const { join } = require('node:path')

/** Files that take long begin first: the last one to begin would run alone in the end. */
const LONG = [
  'test/e2e/access/references.test.ts',
  'test/fuzz/hostile.test.ts',
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
  'test/config/backup/backup.test.ts',
  'test/plugins/sandbox/keep.test.ts',
  'test/storage/storage.test.ts',
  'test/config/builtin.test.ts',
  'test/kernel/switch-off.test.ts',
  'test/plugins/baileys/pairing/passkey.test.ts',
  'test/plugins/dashboard/screens.test.ts',
  'test/plugins/schedule/killed.test.ts',
  'test/docs/blocks.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/config/import/baileys-folder.test.ts',
]

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
  spec: areNamed ? [] : [...LONG, ...files],
  // The last resort, also for a hook that opens a world on a busy machine: tests give up when nothing moves any more, and say what they waited for.
  timeout: 120_000,
  exit: true,
  require: ['test/support/run/hooks.ts'],
  parallel: true,
  // Tests wait for much of their time: two cores serve five files at once, four of the whole run.
  jobs: process.env.WAMUX_TEST_ALL === 'yes' ? 4 : 5,
}
