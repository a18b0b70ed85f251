import { expect } from 'chai'
import { createBackpressure, createReadGate } from '../../../../plugins/baileys/socket/backpressure.ts'
import { eventually } from '../../../support/eventually.ts'

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

describe('the gate of a link', () => {
  const open = (most: number, slowMs = 10_000) => {
    const seen: string[] = []
    const traffic = { waiting: 0, paused: 0 }
    const gate = createReadGate({
      ...{ most, slowMs, traffic },
      setPaused: (isPaused) => void seen.push(isPaused ? 'paused' : 'read'),
      onSlow: (isSlow) => void seen.push(isSlow ? 'slow' : 'fast'),
    })
    return { gate, seen, traffic }
  }
  const stanza = (bytes: number) => ({
    tag: 'message',
    attrs: {},
    content: [{ tag: 'enc', attrs: {}, content: Buffer.alloc(bytes) }],
  })

  it('is closed when too much waits, and opens again at half of it', () => {
    const { gate, seen, traffic } = open(4)
    const leave = [1, 2, 3, 4, 5].map(() => gate.enter(stanza(100)))
    expect(seen).to.deep.equal(['paused'])
    expect(traffic).to.deep.equal({ waiting: 5, paused: 1 })
    for (const one of leave.slice(0, 2)) one()
    expect(seen).to.deep.equal(['paused'])
    // The same stanza does not leave twice.
    leave[0]?.()
    leave[2]?.()
    expect(seen).to.deep.equal(['paused', 'read'])
    expect(traffic).to.deep.equal({ waiting: 2, paused: 0 })
    gate.close()
    leave[3]?.()
    expect(traffic).to.deep.equal({ waiting: 0, paused: 0 })
  })

  it('counts a large stanza as several', () => {
    const { gate, seen } = open(100)
    const leave = gate.enter(stanza(1_000_000))
    expect(seen).to.deep.equal(['paused'])
    leave()
    expect(seen).to.deep.equal(['paused', 'read'])
    gate.close()
  })

  it('calls the storage slow once a stanza has waited long, also where it still fits, until none does', async () => {
    const { gate, seen } = open(100, 30)
    const leave = gate.enter()
    await eventually(() => seen.length > 0, 'slow')
    expect(seen).to.deep.equal(['slow'])
    expect(gate.slow).to.match(/: 1 wait$/)
    leave()
    await eventually(() => seen.length > 1, 'over')
    expect(seen).to.deep.equal(['slow', 'fast'])
    expect(gate.slow).to.equal(undefined)
    gate.close()
  })
})
