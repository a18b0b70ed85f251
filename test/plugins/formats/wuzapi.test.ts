import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { RECEIVED_SAMPLES } from '../../../plugins/messaging/index.ts'
import { engines } from '../../support/databases.ts'
import { type Body, compare, madeBodies, openScene, qrBody, type Scene } from './scene.ts'

/** As receivers of WuzAPI read it. */
function receiverOf(): { seen: string[]; handle(body: Body): void } {
  const seen: string[] = []
  return {
    seen,
    handle({ type, event, state, base64, instanceName }) {
      if (type === 'ReadReceipt') seen.push(`${event.MessageIDs.join()} ${state}`)
      if (type !== 'Message') return
      const { Info, Message } = event
      const number = (Info.SenderAlt || Info.Sender).split('@')[0]
      const text = Message.conversation || Message.extendedTextMessage?.text
      if (text) seen.push(`${instanceName}: ${number} (${Info.PushName}) says ${text}`)
      if (Message.imageMessage) seen.push(`${number} sent ${Message.imageMessage.caption} ${base64}`)
      if (Message.reactionMessage)
        seen.push(`${Message.reactionMessage.text} to ${Message.reactionMessage.key.ID}`)
    },
  }
}

const is = {
  message:
    (id: string) =>
    ({ type, event }: Body) =>
      type === 'Message' && event.Info.ID === id,
  read:
    (id: string) =>
    ({ type, event, state }: Body) =>
      type === 'ReadReceipt' && event.MessageIDs.includes(id) && state === 'Read',
  reaction: ({ event }: Body) => event.Message?.reactionMessage !== undefined,
  presence: ({ type }: Body) => type === 'ChatPresence',
}

for (const engine of engines) {
  describe(`webhooks in the format of WuzAPI on ${engine.name}`, () => {
    let scene: Scene
    let made: Record<string, Body>
    before(async function () {
      this.timeout(240_000)
      scene = await openScene('wuzapi', engine)
      made = await madeBodies(scene, is)
    })
    after(() => scene.stop())

    it('reach a receiver written for it: a text, a picture, a reaction, a receipt', () => {
      const { number } = scene
      const receiver = receiverOf()
      for (const name of ['text', 'image', 'reaction', 'receipt']) receiver.handle(made[name])
      const [, file] = RECEIVED_SAMPLES.image.file.split(',')
      const id = made['own'].event.Info.ID
      expect(receiver.seen).to.deep.equal([
        `Shop: ${number} (Ana) says Hi there!`,
        `${number} sent hello ${file}`,
        `👍 to ${id}`,
        `${id} Read`,
      ])
    })

    it('have the documented shape, key by key, except for what the README lists', async () => {
      made['qr'] = await qrBody(scene, 'wuzapi', ({ type }) => type === 'QR')
      expect(compare('wuzapi', made)).to.deep.equal({ differences: [], idle: [] })
    })

    it('are a form with the token where the endpoint has that format, signed as there', async () => {
      const { session, receiver, shop, ana } = scene
      const url = `${receiver.url}/form`
      const { data } = await session.post('/webhook/endpoints', { URL: url, Format: 'wuzapi-form' })
      await ana.send(shop, { Text: 'in a form' })
      const { headers, body } = await receiver.wait(
        ({ path, body }) => path.endsWith('/form') && body.includes('in+a+form'),
      )
      expect(headers['content-type']).to.equal('application/x-www-form-urlencoded')
      const hmac = createHmac('sha256', data.Secret).update(body).digest('hex')
      expect(headers['x-hmac-signature']).to.equal(hmac)
      const form = Object.fromEntries(new URLSearchParams(body))
      expect(form).to.include({ token: session.token, instanceName: 'Shop' })
      const { type, event } = JSON.parse(form['jsonData'] ?? '')
      expect([type, event.Message.conversation]).to.deep.equal(['Message', 'in a form'])
    })
  })
}
