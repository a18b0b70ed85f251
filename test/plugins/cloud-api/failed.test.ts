import { expect } from 'chai'
import cloudApi from '../../../plugins/cloud-api/index.ts'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { openShop, type Shop } from '../../support/world.ts'
import { type CloudReceiver, setWebhook, startCloudReceiver } from './receiver.ts'

for (const engine of engines) {
  describe(`the status of a message that was accepted and not sent, ${engine.name}`, () => {
    let shop: Shop
    let number: string
    let receiver: CloudReceiver
    before(async () => {
      shop = await openShop({ extra: [cloudApi], config: { baileys: { ackTimeoutMs: 1500 } } }, engine)
      number = shop.session.phone.account.phone
      receiver = await startCloudReceiver()
      await setWebhook(shop.world, shop.session, receiver.url)
    })
    after(async () => {
      await shop.world.stop()
      await receiver.close()
    })

    const post = async (fields: object, headers: Record<string, string> = {}) => {
      const { world, session, ana } = shop
      const response = await fetch(`${world.gateway.url}/v23.0/${number}/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${session.token}`, ...headers },
        body: JSON.stringify({ messaging_product: 'whatsapp', to: ana.account.phone, ...fields }),
      })
      // biome-ignore lint/suspicious/noExplicitAny: the shape is what is under test
      return { status: response.status, body: (await response.json()) as any }
    }
    /** Of a message that is accepted before its outcome is known. */
    const accepted = async (fields: object): Promise<string> => {
      const { status, body } = await post(fields, { prefer: 'respond-async' })
      expect(status, JSON.stringify(body)).to.equal(200)
      expect(body.messages[0].message_status).to.equal('accepted')
      return body.messages[0].id
    }
    /** A receipt may come before the acknowledgement. */
    const statusOf = async (id: string, wanted: string) => {
      const { statuses = [] } = await receiver.body(
        ({ statuses }) => statuses?.[0]?.id === id && statuses[0].status === wanted,
      )
      return statuses[0]
    }

    it('is failed, with the error of Graph and the data of the client', async () => {
      const { world, ana } = shop
      world.fault({ Phone: number, Fault: 'refuse', Code: 403, Count: 1 })
      const id = await accepted({ text: { body: 'refused' }, biz_opaque_callback_data: 'order 8' })
      const { timestamp, ...status } = await statusOf(id, 'failed')
      const { error_data, ...error } = status.errors[0]
      expect(status).to.deep.equal({
        ...{ id, status: 'failed', recipient_id: ana.account.phone, recipient_user_id: ana.account.lid },
        ...{ errors: status.errors, biz_opaque_callback_data: 'order 8' },
      })
      const title = 'Re-engagement message'
      expect(error).to.deep.equal({ code: 131047, title, message: title })
      expect(error_data.details).to.include('not allowed in this chat (403)')
      expect(timestamp).to.match(/^\d{10}$/)
      expect(Number(timestamp)).to.be.closeTo(Date.now() / 1000, 60)
    })

    it('is failed for a file too, and without data where none was given', async () => {
      const { world, session } = shop
      const base64 = Buffer.from('%PDF-1.4 a price list').toString('base64')
      const form = new FormData()
      form.set('messaging_product', 'whatsapp')
      form.set('file', new Blob([Buffer.from(base64, 'base64')], { type: 'application/pdf' }), 'prices.pdf')
      const uploaded = await fetch(`${world.gateway.url}/v23.0/${number}/media`, {
        method: 'POST',
        headers: { authorization: `Bearer ${session.token}` },
        body: form,
      })
      const { id: file } = (await uploaded.json()) as { id: string }
      world.fault({ Phone: number, Fault: 'refuse', Code: 403, Count: 1 })
      const status = await statusOf(await accepted({ type: 'document', document: { id: file } }), 'failed')
      expect(status).to.include({ status: 'failed' })
      expect(status).to.not.have.property('biz_opaque_callback_data')
      expect(status.errors[0].code).to.equal(131047)
    })

    it('is none where nobody acknowledges it: WhatsApp may have it, and the next one is not held', async () => {
      const { world, session } = shop
      world.fault({ Phone: number, Fault: 'silent' })
      const id = await accepted({ text: { body: 'unanswered' }, biz_opaque_callback_data: 'order 9' })
      const status = async () => (await session.get(`/send/${encodeURIComponent(id)}`)).data.Status
      await eventually(async () => (await status()) === 'Unknown', 'the outcome is unknown')
      world.fault({ Phone: number, Fault: 'clear' })
      await session.status({ LoggedIn: true })
      const next = await accepted({ text: { body: 'next' }, biz_opaque_callback_data: 'order 10' })
      expect(await statusOf(next, 'sent')).to.include({
        status: 'sent',
        biz_opaque_callback_data: 'order 10',
      })
      const statuses = receiver.bodies().flatMap((body) => body.statuses ?? [])
      expect(statuses.filter((one) => one.id === id)).to.deep.equal([])
    })
  })
}
