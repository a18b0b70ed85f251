import { expect } from 'chai'
import { holdFramesUntilCommit } from '../../../../plugins/baileys/socket/commit-barrier.ts'
import { deferred } from '../../../support/deferred.ts'

describe('the commit barrier', () => {
  function barrier() {
    const frames: number[] = []
    const failures: unknown[] = []
    const commits = [deferred<void>(), deferred<void>()]
    let next = 0
    const send = holdFramesUntilCommit({
      settled: () => commits[next++]?.promise as Promise<void>,
      onFailure: (error) => failures.push(error),
    })((frame) => void frames.push(frame[0] ?? -1))
    return { frames, failures, commits, send }
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  it('sends frames in order, each once its writes are committed', async () => {
    const { frames, commits, send } = barrier()
    for (const frame of [0, 1]) send(Buffer.of(frame))
    commits[1]?.resolve()
    await turn()
    expect(frames).to.deep.equal([])
    commits[0]?.resolve()
    await turn()
    expect(frames).to.deep.equal([0, 1])
  })

  it('sends nothing behind writes that failed, and ends the link', async () => {
    const { frames, failures, commits, send } = barrier()
    for (const frame of [0, 1]) send(Buffer.of(frame))
    commits[0]?.reject(new Error('the disk is full'))
    commits[1]?.resolve()
    await turn()
    expect(frames).to.deep.equal([])
    expect(failures.map(String)).to.deep.equal(['Error: the disk is full'])
  })
})
