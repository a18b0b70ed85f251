import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { changesOf, INTERFACE, interfaceSnapshot } from '../../config/build/documents/interface.ts'
import { PLUGIN_API } from '../../kernel/plugin.ts'

const WHAT_TO_DO = `the public interface is not the one in ${INTERFACE}; the lines above say which routes and exports differ.
If that is meant: (1) once 0.1.0 is released, for wamux/plugin and wamux/messaging step PLUGIN_API in kernel/plugin.ts: the second number when something
was added, the first when something was renamed, removed, retyped or became required; (2) say so under "Unreleased" in
CHANGELOG.md, as "Plugin API x.y.z"; (3) run "npm run docs" and commit what it wrote.`

const made = await interfaceSnapshot()

describe('the public interface', () => {
  it('is the one that was promised', () => {
    const changes = changesOf(readFileSync(INTERFACE, 'utf8'), made)
    expect(changes, `${changes.join('\n')}\n${WHAT_TO_DO}`).to.deep.equal([])
  })

  it('has the version of the plugin API in the changelog', () => {
    expect(readFileSync('CHANGELOG.md', 'utf8'), WHAT_TO_DO).to.include(`Plugin API ${PLUGIN_API}`)
  })

  it('names what has changed', () => {
    const before = 'POST /send/text 11111111\nkernel/plugin reply 22222222\n'
    const after = 'POST /send/text 33333333\nkernel/plugin reply 22222222\n'
    expect(changesOf(before, after)).to.deep.equal([
      '- POST /send/text 11111111',
      '+ POST /send/text 33333333',
    ])
  })
})
