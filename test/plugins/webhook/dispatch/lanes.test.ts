import { expect } from 'chai'
import fc from 'fast-check'
import type { DeliveryPage } from '../../../../plugins/webhook/delivery/deliveries.ts'
import type { Delivery } from '../../../../plugins/webhook/delivery/delivery.ts'
import { createLanes, type Lane } from '../../../../plugins/webhook/dispatch/lanes.ts'

const step = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), lane: fc.constantFrom('a', 'b', 'c') }),
  fc.record({ kind: fc.constantFrom('begin', 'advance', 'delay', 'release', 'read', 'refill', 'clear') }),
)

/** A table of rows that lanes are filled from, as the worker does it, and what is in flight. */
function start() {
  const lanes = createLanes()
  const table: Delivery[] = []
  const inFlight: { lane: Lane; head: Delivery }[] = []
  const reading: { lane: Lane; page: Pick<DeliveryPage, 'rows' | 'isLast'> }[] = []
  const delivered: Record<string, number[]> = { a: [], b: [], c: [] }
  let seq = 0
  let now = 0
  /** Newest row that the lanes know of. */
  let known = 0

  function readPage(): void {
    const without = lanes.truncated()
    for (const row of table) if (row.seq > known && !without.includes(row.lane)) lanes.add(row)
    known = seq
  }
  return {
    inFlight,
    delivered,
    lanes,
    table,
    add(lane: string) {
      seq += 1
      const row = { seq, lane } as Delivery
      table.push(row)
      lanes.add(row)
      known = seq
    },
    begin() {
      const next = lanes.begin()
      if (!next) return false
      inFlight.push(next)
      return true
    },
    advance() {
      const next = inFlight.shift()
      if (!next) return
      delivered[next.lane.id]?.push(next.head.seq)
      table.splice(table.indexOf(next.head), 1)
      lanes.advance(next.lane)
    },
    delay() {
      const next = inFlight.shift()
      if (next) lanes.delay(next.lane, now + 10)
    },
    release() {
      now += 10
      lanes.releaseDue(now)
    },
    read() {
      const lane = lanes.underfilled()
      if (!lane) return
      const all = table.filter((row) => row.lane === lane.id && row.seq <= known)
      const rows = all.slice(0, 2)
      reading.push({ lane, page: { rows, isLast: rows.length === all.length } })
    },
    /** What was read arrives; rows may have been added, or all cleared, meanwhile. */
    refill() {
      const read = reading.shift()
      if (read) lanes.refill(read.lane, read.page)
    },
    clear() {
      lanes.clear()
      known = 0
      readPage()
    },
  }
}

describe('lanes of a webhook endpoint', () => {
  it('deliver every row once and in lane order, whatever fails, waits or is cleared', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300, size: 'max' }), (steps) => {
        const world = start()
        let added = 0
        for (const action of steps) {
          if ('lane' in action) {
            world.add(action.lane)
            added += 1
          } else
            world[action.kind as 'begin' | 'advance' | 'delay' | 'release' | 'read' | 'refill' | 'clear']()
          const busy = world.inFlight.map(({ lane }) => lane.id)
          expect(new Set(busy).size, 'one of a lane at a time').to.equal(busy.length)
        }
        for (let rounds = 0; world.table.length > 0; rounds += 1) {
          expect(rounds, 'it ends').to.be.below(1_000)
          world.release()
          world.read()
          world.refill()
          while (world.begin()) world.advance()
          while (world.inFlight.length > 0) world.advance()
        }
        const all = Object.values(world.delivered)
        expect(all.flat()).to.have.length(added)
        for (const numbers of all) expect(numbers).to.deep.equal([...numbers].sort((a, b) => a - b))
        expect(world.lanes.loaded()).to.equal(0)
      }),
    )
  })

  it('keep a bounded number of rows of one lane in memory', () => {
    const { lanes, add } = start()
    for (let i = 0; i < 200; i += 1) add('a')
    expect(lanes.loaded()).to.equal(64)
    expect(lanes.truncated()).to.deep.equal(['a'])
  })

  it('release a lane that is due only when they are asked to', () => {
    const { lanes, add, begin, delay } = start()
    add('a')
    begin()
    delay()
    expect(lanes.nextDue()).to.equal(10)
    expect(lanes.underfilled()).to.equal(undefined)
    lanes.releaseDue(10)
    expect(lanes.nextDue()).to.equal(undefined)
    expect(lanes.underfilled()?.id).to.equal('a')
  })
})
