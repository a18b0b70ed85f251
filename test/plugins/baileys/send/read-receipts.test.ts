import { expect } from 'chai'
import { receiptsFor } from '../../../../plugins/baileys/send/read-receipts.ts'

const ANA = '5511900000002@s.whatsapp.net'
const BOB = '9100000011557@lid'
const TEAM = '120363000000000001@g.us'
const STATUS = 'status@broadcast'

describe('receipts for messages that were read or played', () => {
  const attrsOf = (...args: Parameters<typeof receiptsFor>) =>
    receiptsFor(...args).map(({ attrs: { t, ...attrs } }) => attrs)

  it('are silent in direct chats alone once read receipts are off', () => {
    const read = [
      { chat: ANA, id: 'A' },
      { chat: TEAM, id: 'B', participant: BOB },
      { chat: STATUS, id: 'C', participant: BOB },
    ]
    expect(attrsOf('read', read, true)).to.deep.equal([
      { id: 'A', to: ANA, type: 'read-self' },
      { id: 'B', to: TEAM, type: 'read', participant: BOB },
      { id: 'C', to: STATUS, type: 'read', participant: BOB, context: 'status' },
    ])
    expect(attrsOf('read', read, false).map(({ type }) => type)).to.deep.equal(['read', 'read', 'read'])
    expect(attrsOf('played', read.slice(0, 2), true).map(({ type }) => type)).to.deep.equal([
      'played-self',
      'played',
    ])
  })

  it('are one for each author in a chat, with at most 256 messages', () => {
    const many = Array.from({ length: 300 }, (_, at) => ({ chat: TEAM, id: `${at}`, participant: BOB }))
    const other = { chat: TEAM, id: 'other', participant: ANA }
    const [first, second, third, ...none] = receiptsFor('read', [...many, other], false)
    const idsOf = (node: typeof first): string[] => {
      const list = Array.isArray(node?.content) ? node.content[0] : undefined
      const items = Array.isArray(list?.content) ? list.content : []
      return [node?.attrs['id'] ?? '', ...items.map(({ attrs }) => attrs['id'] ?? '')]
    }
    expect([first, second].map((node) => idsOf(node).length)).to.deep.equal([256, 44])
    expect([...idsOf(first), ...idsOf(second)]).to.deep.equal(many.map(({ id }) => id))
    expect(idsOf(third)).to.deep.equal(['other'])
    expect(none).to.deep.equal([])
  })
})
