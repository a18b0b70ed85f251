import { createHmac } from 'node:crypto'
import { checkPlugin, startTestGateway } from '@wamux/sandbox/testing'
import { expect } from 'chai'
import type { Plugin } from 'wamux/plugin'
import { loadExample } from '../support/example.ts'

describe('the example upsert-format', () => {
  let plugin: Plugin
  before(async () => {
    plugin = await loadExample('upsert-format')
  })

  it('keeps the rules of good plugins', async () => {
    expect(await checkPlugin(plugin)).to.deep.equal([])
  })

  it('gives webhooks bodies of its own, signed, for messages, edits and receipts', async () => {
    const gateway = await startTestGateway({ plugins: [plugin] })
    try {
      const session = await gateway.session()
      const receiver = await gateway.receiver()
      const { data } = await session.post('/webhook/endpoints', { URL: receiver.url, Format: 'upsert' })
      const ana = await gateway.phone({ name: 'Ana' })
      const eventOf = async (event: string) => {
        const { body, headers } = await receiver.wait((one) => JSON.parse(one.body).event === event)
        const sum = createHmac('sha512', data.Secret).update(body).digest('hex')
        expect(headers).to.include({ 'x-webhook-hmac': sum, 'content-type': 'application/json' })
        return JSON.parse(body)
      }
      const remoteJid = `${ana.number}@s.whatsapp.net`
      await ana.send(session.phone.number, 'Hello')
      const { data: upsert, ...about } = await eventOf('messages.upsert')
      expect(about.sender).to.include(session.phone.number)
      expect(upsert).to.deep.include({
        pushName: 'Ana',
        message: { conversation: 'Hello' },
        messageType: 'conversation',
      })
      expect(upsert.key).to.include({ remoteJid, fromMe: false })
      const sent = await session.post('/send/text', { Phone: ana.number, Body: 'Welcome' })
      const { data: update } = await eventOf('messages.update')
      expect(update).to.deep.equal({ keyId: sent.data.Id, remoteJid, fromMe: true, status: 'DELIVERY_ACK' })
    } finally {
      await gateway.stop()
    }
  })
})
