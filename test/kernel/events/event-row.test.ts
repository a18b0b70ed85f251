import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { toEvent } from '../../../kernel/events/event-row.ts'
import type { LogEvent } from '../../../kernel/types/events.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

describe('an event of a row', () => {
  it('does not keep the sealed body: the newest thousands of events are in memory', async () => {
    const { line, sealed } = opened()
    // What a WeakRef refers to is kept until the turn that made it ends.
    await turn()
    collect()
    expect(sealed.deref()).to.equal(undefined)
    expect(line.body).to.deep.equal({ text: 'hello' })
  })
})

function opened(): { line: LogEvent; sealed: WeakRef<object> } {
  const body = Buffer.alloc(100)
  const line = toEvent({ seq: 1, id: 'evt_1', type: 'Message', body }, '{"text":"hello"}')
  return { line, sealed: new WeakRef(body) }
}
