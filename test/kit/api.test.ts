import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { PLUGIN_API } from '../../kernel/plugin.ts'
import { declarations, SNAPSHOT } from './api.ts'
import { REFERENCE, reference } from './reference.ts'

const WHAT_TO_DO = `the plugin API (wamux/plugin) is not the one in ${SNAPSHOT}.
If that is meant: (1) step PLUGIN_API in kernel/plugin.ts: the second number when something was added, the first when
something was renamed, removed, retyped or became required; (2) say so under "Unreleased" in CHANGELOG.md, as
"Plugin API x.y.z"; (3) run "npm run api" and commit what it wrote.`

describe('the plugin API', function () {
  this.timeout(60_000)

  it('is the one that was promised', () => {
    expect(declarations(), WHAT_TO_DO).to.equal(readFileSync(SNAPSHOT, 'utf8'))
  })

  it('has its version in the changelog', () => {
    expect(readFileSync('CHANGELOG.md', 'utf8'), WHAT_TO_DO).to.include(`Plugin API ${PLUGIN_API}`)
  })

  it('is described as it is', async () => {
    const made = 'kernel/docs/plugin-api.md is out of date: run "npm run api" and commit what it wrote'
    expect(await reference(), made).to.equal(readFileSync(REFERENCE, 'utf8'))
  })
})
