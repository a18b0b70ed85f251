import { expect } from 'chai'
import { eventually } from './eventually.ts'

const failure = (wait: Promise<unknown>): Promise<string> =>
  wait.then(
    () => 'it resolved',
    (error: Error) => error.message,
  )

describe('eventually', () => {
  it('resolves with the first truthy value, past errors and falsy values', async () => {
    const outcomes = [0, undefined, new Error('not yet'), 'done']
    const check = async () => {
      const outcome = outcomes.shift()
      if (outcome instanceof Error) throw outcome
      return outcome
    }
    expect(await eventually(check, 'done')).to.equal('done')
  })

  it('waits as long as the progress changes, however long that takes', async () => {
    let left = 20
    const check = () => left === 0
    const progress = () => {
      left -= 1
      return left
    }
    await eventually(check, 'drained', { progress, quietMs: 40 })
  })

  it('rejects without progress, with what is waited for and the last progress', async () => {
    const wait = eventually(() => false, 'drained', { progress: () => 7, quietMs: 40 })
    expect(await failure(wait)).to.equal('not drained, and nothing new for 0.04 s: the progress stayed 7')
  })

  it('rejects with the last value, or the last error, where no progress is given', async () => {
    const never = eventually(() => false, 'linked', { quietMs: 40 })
    expect(await failure(never)).to.equal('not linked, and nothing new for 0.04 s: it stayed false')
    const check = () => expect('waiting').to.equal('open')
    const wait = eventually(check, 'open', { quietMs: 40 })
    expect(await failure(wait)).to.include("expected 'waiting' to equal 'open'")
  })
})
