const { writeFileSync } = require('node:fs')
const { reporters, Runner } = require('mocha')

/** Mocha's own report, and its counts in one line for continuous integration. */
class Report extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options)
    const { file } = options.reporterOptions ?? options.reporterOption ?? {}
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const { passes = 0, failures = 0, pending = 0 } = runner.stats ?? {}
      if (file) writeFileSync(file, `${passes} passed, ${failures} failed, ${pending} skipped\n`)
    })
  }
}

module.exports = Report
