import { expect } from 'chai'
import { createBackpressure } from '../../../../plugins/baileys/socket/backpressure.ts'

/** Work that the test ends. */
function open(): { work: Promise<void>; end(): void; fail(): void } {
  let [end, fail] = [(): void => undefined, (): void => undefined]
  const work = new Promise<void>((resolve, reject) => {
    end = resolve
    fail = () => reject(new Error('broken'))
  })
  return { work, end, fail }
}

describe('backpressure', () => {
  it('admits one waiting stanza for each that ended or failed, in order', async () => {
    const pressure = createBackpressure(2)
    const [first, second] = [open(), open()]
    void pressure.track(first.work)
    pressure.track(second.work).catch(() => undefined)
    expect(pressure.isFull).to.equal(true)
    const entered: string[] = []
    const third = pressure.ready().then(() => entered.push('third'))
    const fourth = pressure.ready().then(() => entered.push('fourth'))
    first.end()
    await third
    expect(entered).to.deep.equal(['third'])
    second.fail()
    await fourth
    expect(pressure.isFull).to.equal(false)
    await pressure.ready()
  })

  it('waits a limited time for work that hangs', async () => {
    const pressure = createBackpressure(1)
    void pressure.track(open().work)
    await pressure.ready()
    expect(pressure.isFull).to.equal(true)
  })
})
