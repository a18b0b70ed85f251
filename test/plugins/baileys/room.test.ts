import { expect } from 'chai'
import { createRoom } from '../../../plugins/baileys/room.ts'

/** Work that ends when it is told to. */
function open(): { work: Promise<void>; end(): void; fail(): void } {
  let [end, fail] = [(): void => undefined, (): void => undefined]
  const work = new Promise<void>((resolve, reject) => {
    end = resolve
    fail = () => reject(new Error('broken'))
  })
  return { work, end, fail }
}

describe('the room for what comes in', () => {
  it('lets in as much as ends, in order, and what fails ends, too', async () => {
    const room = createRoom(2)
    const [first, second] = [open(), open()]
    void room.hold(first.work)
    room.hold(second.work).catch(() => undefined)
    expect(room.isFull).to.equal(true)
    const entered: string[] = []
    const third = room.free().then(() => entered.push('third'))
    const fourth = room.free().then(() => entered.push('fourth'))
    first.end()
    await third
    expect(entered).to.deep.equal(['third'])
    second.fail()
    await fourth
    expect(room.isFull).to.equal(false)
    await room.free()
  })

  it('holds nobody for more than a moment because of work that hangs', async () => {
    const room = createRoom(1)
    void room.hold(open().work)
    await room.free()
    expect(room.isFull).to.equal(true)
  })
})
