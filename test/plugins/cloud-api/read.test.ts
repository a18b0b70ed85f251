import { expect } from 'chai'
import chatLog from '../../../plugins/chat-log/index.ts'
import { eventually } from '../../support/eventually.ts'
import { type Cloud, openCloud } from './cloud.ts'

describe('reading through the Cloud API', () => {
  let cloud: Cloud
  before(async () => {
    cloud = await openCloud(chatLog)
  })
  after(() => cloud.stop())

  it('makes the chat read in /chats, and the message in /message/status', async () => {
    const { ana, graph, number, session } = cloud
    const unread = async (): Promise<number | undefined> =>
      (await session.get('/chats')).data.Chats[0]?.Unread
    const id = await ana.send(number, { Text: 'is it there?' })
    await eventually(async () => (await unread()) === 1, 'the chat is unread')
    const read = { messaging_product: 'whatsapp', status: 'read', message_id: id }
    const { body } = await graph('POST', `/v23.0/${number}/messages`, read)
    expect(body).to.deep.equal({ success: true })
    expect(await unread()).to.equal(0)
    const { data } = await session.post('/message/status', { Id: id })
    expect(data).to.include({ Status: 'Read', IsFromMe: false })
  })
})
