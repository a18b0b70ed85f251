import { expect } from 'chai'
import { type ChatTurns, createChatTurns } from '../../../../plugins/baileys/journal/chat-turns.ts'
import type { InboxMessage } from '../../../../plugins/baileys/store/inbox.ts'
import { eventually } from '../../../support/eventually.ts'

describe('the turns of chats', () => {
  let turns: ChatTurns
  /** Messages being read, by hash. */
  let reading: Map<string, () => void>
  let read: string[]
  /** Messages that were read from the inbox again. */
  let found: string[]
  const failures: unknown[] = []
  let tracked: Promise<void>[]

  beforeEach(() => {
    ;[reading, read, found, tracked] = [new Map(), [], [], []]
    turns = createChatTurns({
      keys: {
        async received(hash) {
          found.push(hash)
          return message(hash, 60_000)
        },
        settled: async () => undefined,
      },
      read: ({ hash }) => {
        read.push(hash)
        return new Promise((resolve) => reading.set(hash, resolve))
      },
      track: (work) => void tracked.push(work),
      onFailure: (error) => failures.push(error),
    })
  })

  const message = (hash: string, bytes: number): InboxMessage => ({
    hash,
    stanza: { tag: 'message', attrs: { from: `${hash[0]}@lid`, id: hash } },
    plain: Buffer.alloc(bytes),
  })
  const ended = (hash: string): void => {
    reading.get(hash)?.()
    reading.delete(hash)
  }

  it('let twelve short messages be read at once, or one long', async () => {
    for (let i = 0; i < 14; i += 1) void turns.read(message(`a${i}`, 10))
    const first = Array.from({ length: 12 }, (_, i) => `a${i}`)
    expect(read).to.deep.equal(first)
    ended('a3')
    await eventually(() => read.includes('a12'), 'the next one')
    expect(read).to.not.include('a13')
    void turns.read(message('b0', 60_000))
    void turns.read(message('b1', 10))
    expect(read.filter((hash) => hash.startsWith('b'))).to.deep.equal(['b0'])
    ended('b0')
    await eventually(() => read.includes('b1'), 'the one behind a long one')
  })

  it('let others pass a chat that floods, which is read in order and kept in the inbox', async () => {
    const all = Array.from({ length: 40 }, (_, i) => `a${i}`)
    const settled = all.map((hash) => turns.read(message(hash, 60_000)))
    void turns.read(message('b0', 10))
    expect(read).to.deep.equal(['a0', 'b0'])
    // The one being read, four that wait, and the one of the other chat.
    expect(tracked).to.have.length(6)
    // What is not kept in memory is not waited for.
    await Promise.all(settled.slice(5))
    for (const hash of all) {
      await eventually(() => reading.has(hash), hash)
      ended(hash)
    }
    expect(read.filter((hash) => hash.startsWith('a'))).to.deep.equal(all)
    expect(found).to.deep.equal(all.slice(5))
    expect(tracked).to.have.length(41)
    expect(failures).to.deep.equal([])
  })
})
