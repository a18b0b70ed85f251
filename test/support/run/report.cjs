const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs')
const { join, relative } = require('node:path')
const { reporters, Runner } = require('mocha')

/**
 * Mocha's own report, and for continuous integration, in the folder that the option names: `counts` (passed, failed,
 * skipped), `failed` (the files in which a test failed, one a line) and `failures/` (of each file, what failed, and why).
 */
class Report extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options)
    const { folder } = options.reporterOptions ?? options.reporterOption ?? {}
    if (!folder) return
    mkdirSync(join(folder, 'failures'), { recursive: true })
    const failed = new Set()
    runner.on(Runner.constants.EVENT_TEST_FAIL, (test, error) => {
      // What is of no file, a hook around all of them, can't be run again by itself.
      const file = test.file?.endsWith('.test.ts') ? relative('.', test.file) : 'all'
      failed.add(file)
      const text = error?.stack ?? error?.message ?? String(error)
      const name = join(folder, 'failures', file.replaceAll('/', '+'))
      appendFileSync(name, `${test.titlePath().join(' > ')}\n${text}\n`)
    })
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const { passes = 0, failures = 0, pending = 0 } = runner.stats ?? {}
      writeFileSync(join(folder, 'failed'), [...failed].map((file) => `${file}\n`).join(''))
      writeFileSync(join(folder, 'counts'), `${passes} ${failures} ${pending}\n`)
    })
  }
}

module.exports = Report
