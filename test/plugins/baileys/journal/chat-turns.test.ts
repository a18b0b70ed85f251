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

  beforeEach(() => {
    ;[reading, read, found] = [new Map(), [], []]
    turns = createChatTurns({
      async find(hash) {
        found.push(hash)
        return message(hash, 60_000)
      },
      read: ({ hash }) => {
        read.push(hash)
        return new Promise((resolve) => reading.set(hash, resolve))
      },
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

  it('let eight short messages be read at once, or one long', async () => {
    for (let i = 0; i < 10; i += 1) void turns.read(message(`a${i}`, 10))
    expect(read).to.deep.equal(['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7'])
    ended('a3')
    await eventually(() => read.includes('a8'), 'the next one')
    expect(read).to.not.include('a9')
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
    // What is not kept in memory is not waited for.
    await Promise.all(settled.slice(5))
    for (const hash of all) {
      await eventually(() => reading.has(hash), hash)
      ended(hash)
    }
    expect(read.filter((hash) => hash.startsWith('a'))).to.deep.equal(all)
    expect(found).to.deep.equal(all.slice(5))
    expect(failures).to.deep.equal([])
  })
})
