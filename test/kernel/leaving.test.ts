import { expect } from 'chai'
import { T } from 'wamux/plugin'
import { chatsNamed, isSuspect } from '../../kernel/leaving.ts'

const seen = (schema: unknown, body: unknown): string[] =>
  chatsNamed(schema, body).map(({ field, value, kind }) => `${field}=${String(value)} ${kind}`)

describe('fields that name a chat', () => {
  it('are those that the schema declares, in lists and objects too', () => {
    const phone = T.String({ format: 'phone' })
    const schema = T.Object({
      Phone: phone,
      People: T.Array(phone),
      Group: T.String({ names: 'group' }),
      Link: T.Object({ PhoneNumber: T.String({ names: 'none' }), Inner: T.Union([phone, T.Null()]) }),
      Rows: T.Array(T.Object({ Author: T.String({ names: 'author' }), Text: T.String() })),
    })
    const body = {
      ...{ Phone: '1', People: ['2', '3'], Group: '4' },
      ...{ Link: { PhoneNumber: '5', Inner: '6' }, Rows: [{ Author: '7', Text: '8' }] },
    }
    expect(seen(schema, body)).to.deep.equal([
      'Phone=1 chat',
      'People.0=2 chat',
      'People.1=3 chat',
      'Group=4 group',
      'Link.Inner=6 chat',
      'Rows.0.Author=7 author',
    ])
  })

  it('are also those that seem to by their name, in a body without a schema too', () => {
    const schema = T.Object({ To: T.String(), ChatID: T.String(), Text: T.String(), Deep: T.Unknown() })
    expect(seen(schema, { To: '1', ChatID: '2', Text: '3', Deep: { list: [{ jid: '4' }] } })).to.deep.equal([
      ...['To=1 unknown', 'ChatID=2 unknown'],
      'Deep.list.0.jid=4 unknown',
    ])
    expect(seen(undefined, { chats: ['1'], Group: { id: '2' }, isGroup: true })).to.deep.equal([
      'chats.0=1 unknown',
      'Group=[object Object] unknown',
    ])
    for (const name of ['remoteJid', 'toNumber', 'group_id', 'participants', 'UserName', 'recipient-list'])
      expect(isSuspect(name), name).to.equal(true)
    for (const name of ['Text', 'GroupName', 'FileName', 'Body', 'Address', 'Id', 'Name', 'Limit'])
      expect(isSuspect(name), name).to.equal(false)
  })

  it('can be replaced by an address', () => {
    const body = { Phone: '@ana', People: ['@bob'] }
    const schema = T.Object({
      Phone: T.String({ format: 'phone' }),
      People: T.Array(T.String({ format: 'phone' })),
    })
    for (const { value, replace } of chatsNamed(schema, body)) replace(`${value}!`)
    expect(body).to.deep.equal({ Phone: '@ana!', People: ['@bob!'] })
  })
})
