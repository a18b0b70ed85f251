import { expect } from 'chai'
import type { Events, PluginDb } from 'wamux/plugin'
import { createLinkFailure } from '../../../../plugins/baileys/store/link-failure.ts'

describe('the failure of a link', () => {
  it('is reported once, to all, when nothing more can be written', () => {
    const failure = createLinkFailure({} as PluginDb, {} as Events, { error: () => undefined })
    const seen: unknown[] = []
    failure.onFailed((error) => seen.push(error, failure.signal.aborted))
    failure.onFailed((error) => seen.push(error))
    const first = new Error('the disk is full')
    failure.fail(first)
    failure.fail(new Error('and again'))
    expect(seen).to.deep.equal([first, true, first])
    expect(failure.failure).to.equal(first)
  })
})
