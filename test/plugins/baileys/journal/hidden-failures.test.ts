import { expect } from 'chai'
import chatLog from '../../../../plugins/chat-log/index.ts'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { child, children } from '../../../../plugins/sandbox/stanza.ts'
import type { LinkedSession } from '../../../support/world.ts'
import { openTokenShop, type TokenShop } from '../send/token-shop.ts'

describe('messages whose failure is hidden', () => {
  let shop: TokenShop
  let session: LinkedSession
  let owner: Phone
  let ana: Phone
  before(async () => {
    shop = await openTokenShop([{ plugin: chatLog, config: {} }])
    owner = await shop.phone('Shop')
    session = await shop.linked(owner)
    ana = await shop.phone('Ana')
  })
  after(() => shop.stop())

  const own = () => owner.account.phone
  const garbled = async (Action: string, more: object): Promise<string> => {
    shop.loose.network.fault({ Fault: 'garble', Phone: own() })
    return String((await ana.act({ Action, Chat: own(), ...more }))['Id'])
  }
  const logged = async (type: string, id: string) =>
    (await shop.probe.event(type, (body) => (body['Info'] as { ID: string }).ID === id)).body['event']
  const shown = async (): Promise<Record<string, string>[]> => {
    const { data } = await session.get(`/chats/${ana.account.phone}/messages`)
    return data.Messages.map(({ Message }: { Message: object }) => Message)
  }
  /** How a failure of each ciphertext of the newest message to the person is shown. */
  const failureTo = (phone: Phone) => {
    const nodes = children(child(shop.sentTo(phone).at(-1), 'participants'), 'to')
    return [...new Set(nodes.map((to) => child(to, 'enc')?.attrs['decrypt-fail']))]
  }

  it('are asked for again, and are nothing in their chat until they can be read', async () => {
    const id = await ana.send(own(), { Text: 'helo' })
    await logged('Message', id)
    for (const [action, more] of [
      ['react', { Text: '👍' }],
      ['edit', { Text: 'hello' }],
      ['pinMessage', {}],
    ] as const) {
      const change = await garbled(action, { Id: id, ...more })
      expect(await logged('UndecryptableMessage', change), action).to.include({ DecryptFailMode: 'hide' })
      await logged('Message', change)
    }
    const last = await ana.send(own(), { Text: 'last' })
    await logged('Message', last)
    await shop.probe.synced(session)
    expect((await shown()).map(({ type, text }) => [type, text])).to.deep.equal([
      ['text', 'last'],
      ['text', 'hello'],
    ])
    const { data } = await session.get('/chats')
    expect(data.Chats[0]).to.include({ Unread: 2 })
  })

  it('are not those that bring something new, which wait for their content in the chat', async () => {
    const id = await garbled('poll', { Text: 'When?', Data: { Options: ['now', 'later'] } })
    expect(await logged('UndecryptableMessage', id)).to.include({ DecryptFailMode: '' })
    await logged('Message', id)
  })

  it('are what the gateway changes, but not what it takes back', async () => {
    const Phone = ana.account.phone
    const { data } = await session.post('/send/text', { Phone, Body: 'helo' })
    expect(failureTo(ana)).to.deep.equal([undefined])
    await session.post('/message/edit', { Phone, Id: data.Id, Body: 'hello' })
    expect(failureTo(ana)).to.deep.equal(['hide'])
    await session.post('/message/react', { Phone, Id: data.Id, Body: '👍' })
    expect(failureTo(ana)).to.deep.equal(['hide'])
    await session.post('/message/delete', { Phone, Id: data.Id })
    expect(failureTo(ana)).to.deep.equal([undefined])
  })
})
