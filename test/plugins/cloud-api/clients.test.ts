import { createHash } from 'node:crypto'
import GreatDetail, { MessageType } from '@great-detail/whatsapp'
import { WhatsAppClient } from '@kapso/whatsapp-cloud-api'
import { normalizeWebhook, verifySignature } from '@kapso/whatsapp-cloud-api/server'
import { expect } from 'chai'
import { WhatsAppAPI } from 'whatsapp-api-js'
import { Image, Location, Reaction, Text } from 'whatsapp-api-js/messages'
import cloudApi from '../../../plugins/cloud-api/index.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { type FileServer, give, startFileServer } from '../../support/file-server.ts'
import { picture } from '../../support/picture.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'
import { APP_SECRET, type CloudReceiver, setWebhook, startCloudReceiver, VERIFY_TOKEN } from './receiver.ts'

/** The packages as their users install them, pointed at the gateway. */
describe('clients of the Cloud API', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  let files: FileServer
  let receiver: CloudReceiver
  let number: string
  let image: Buffer
  before(async () => {
    ;({ world, session, ana } = await openShop({ extra: [cloudApi] }))
    number = session.phone.account.phone
    const base64 = (await picture()).split(',')[1] ?? ''
    image = Buffer.from(base64, 'base64')
    files = await startFileServer({ '/a.jpg': give(base64, 'image/jpeg') })
    receiver = await startCloudReceiver()
    const set = await setWebhook(world, session, receiver.url)
    expect(set.status, set.error).to.equal(200)
  })
  after(async () => {
    await world.stop()
    await files.close()
    await receiver.close()
  })
  const arrived = (id: string | undefined) => ana.wait((message) => message.id === id)
  const deliveryOf = (id: string) =>
    receiver.wait(({ body }) => body.includes(`"messages":[`) && body.includes(id))

  describe('@kapso/whatsapp-cloud-api', () => {
    let client: WhatsAppClient
    before(() => {
      client = new WhatsAppClient({ accessToken: session.token, baseUrl: world.gateway.url })
    })
    const to = () => ({ phoneNumberId: number, to: ana.account.phone })

    it('sends texts, and replies', async () => {
      const first = await client.messages.sendText({ ...to(), body: 'from kapso' })
      const { raw, id } = await arrived(first.messages[0]?.id)
      expect(raw.extendedTextMessage?.text).to.equal('from kapso')
      const asked = await ana.send(number, { Text: 'which one?' })
      const reply = await client.messages.sendText({ ...to(), body: 'this', contextMessageId: asked })
      const quoted = (await arrived(reply.messages[0]?.id)).raw.extendedTextMessage?.contextInfo
      expect(quoted?.stanzaId).to.equal(asked)
      expect(first.contacts[0]).to.deep.equal({ input: ana.account.phone, waId: ana.account.phone })
      expect(id).to.equal(first.messages[0]?.id)
    })

    it('uploads, sends, reads and deletes a file', async () => {
      const file = new Blob([image], { type: 'image/jpeg' })
      const { id } = await client.media.upload({
        phoneNumberId: number,
        type: 'image',
        file,
        fileName: 'a.jpg',
      })
      const about = await client.media.get({ mediaId: id })
      expect(about.sha256).to.equal(createHash('sha256').update(image).digest('hex'))
      expect(Number(about.fileSize)).to.equal(image.length)
      expect(about.mimeType).to.equal('image/jpeg')
      const bytes = (await client.media.download({ mediaId: id, auth: 'always' })) as ArrayBuffer
      expect(Buffer.from(bytes).equals(image)).to.equal(true)
      const sent = await client.messages.sendImage({ ...to(), image: { id, caption: 'ours' } })
      const { id: message, raw } = await arrived(sent.messages[0]?.id)
      expect(raw.imageMessage?.caption).to.equal('ours')
      expect((await ana.file(message)).data.equals(image)).to.equal(true)
      expect(await client.media.delete({ mediaId: id })).to.include({ success: true })
      expect(await failure(client.media.get({ mediaId: id }))).to.include({ httpStatus: 400, code: 100 })
    })

    it('sends contacts, a location, and buttons whose answer comes with their id', async () => {
      const contact = {
        name: { formattedName: 'Rui Costa' },
        phones: [{ phone: '+5511977777777', waId: '5511977777777' }],
      }
      const card = await client.messages.sendContacts({ ...to(), contacts: [contact] })
      const { raw } = await arrived(card.messages[0]?.id)
      expect(JSON.stringify(raw)).to.include('waid=5511977777777')
      const buttons = [
        { id: 'yes-1', title: 'Yes' },
        { id: 'no-1', title: 'No' },
      ]
      const asked = await client.messages.sendInteractiveButtons({
        ...to(),
        bodyText: 'Deliver it?',
        buttons,
      })
      const poll = await arrived(asked.messages[0]?.id)
      await ana.act({ Action: 'vote', Chat: number, Id: poll.id, Data: { Options: ['Yes'] } })
      const { messages = [] } = await receiver.body(({ messages }) => messages?.[0]?.type === 'interactive')
      expect(messages[0].interactive).to.deep.equal({
        type: 'button_reply',
        button_reply: { id: 'yes-1', title: 'Yes' },
      })
      expect(messages[0].context).to.deep.equal({ from: number, id: poll.id })
    })

    it('lists templates, and sends one', async () => {
      await client.templates.create({
        businessAccountId: number,
        name: 'order_ready',
        language: 'en_US',
        category: 'UTILITY',
        components: [
          { type: 'BODY', text: 'Hello {{1}}, your order is ready.', example: { bodyText: [['Ana']] } },
        ],
      })
      const { data } = await client.templates.list({ businessAccountId: number })
      expect(data.map(({ name, status }) => [name, status])).to.deep.equal([['order_ready', 'APPROVED']])
      const sent = await client.messages.sendTemplate({
        ...to(),
        template: {
          name: 'order_ready',
          language: { code: 'en_US' },
          components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ana' }] }],
        },
      })
      const { raw } = await arrived(sent.messages[0]?.id)
      expect(raw.extendedTextMessage?.text).to.equal('Hello Ana, your order is ready.')
    })

    it('marks as read, and understands the webhooks', async () => {
      const id = await ana.send(number, { Text: 'to be read' })
      const { body, headers } = await deliveryOf(id)
      const signatureHeader = headers['x-hub-signature-256'] ?? ''
      expect(verifySignature({ appSecret: APP_SECRET, rawBody: body, signatureHeader })).to.equal(true)
      expect(verifySignature({ appSecret: 'another', rawBody: body, signatureHeader })).to.equal(false)
      const { messages, phoneNumberId } = normalizeWebhook(JSON.parse(body))
      expect(phoneNumberId).to.equal(number)
      expect(messages[0]).to.deep.include({ id, from: ana.account.phone, type: 'text' })
      await client.messages.markRead({
        phoneNumberId: number,
        messageId: id,
        typingIndicator: { type: 'text' },
      })
      await ana.wait(() => ana.receipts.some((receipt) => receipt.id === id && receipt.type === 'read'))
    })

    it('gets errors that it knows', async () => {
      const stranger = new WhatsAppClient({ accessToken: 'wrong', baseUrl: world.gateway.url })
      const refused = await failure(stranger.messages.sendText({ ...to(), body: 'no' }))
      expect(refused).to.include({ httpStatus: 401, code: 190 })
      const nobody = await failure(
        client.messages.sendText({ phoneNumberId: number, to: '5511000000000', body: 'no' }),
      )
      expect(nobody).to.include({ code: 131026 })
    })
  })

  describe('whatsapp-api-js', () => {
    let api: WhatsAppAPI
    before(() => {
      // Its host is fixed: a fetch of its user's own leads elsewhere.
      const rerouted: typeof fetch = (input, init) =>
        fetch(String(input).replace('https://graph.facebook.com', world.gateway.url), init)
      const ponyfill = { fetch: rerouted }
      api = new WhatsAppAPI({
        ...{ token: session.token, appSecret: APP_SECRET, webhookVerifyToken: VERIFY_TOKEN },
        ...{ v: 'v24.0', ponyfill },
      })
    })
    const sent = async (message: Text | Image | Location | Reaction): Promise<string> => {
      const answer = await api.sendMessage(number, ana.account.phone, message)
      if (!('messages' in answer)) throw new Error(JSON.stringify(answer))
      return answer.messages[0].id
    }

    it('sends texts, files by link, places and reactions', async () => {
      const text = await arrived(await sent(new Text('from whatsapp-api-js')))
      expect(text.raw.extendedTextMessage?.text).to.equal('from whatsapp-api-js')
      const shown = await arrived(await sent(new Image(`${files.url}/a.jpg`, false, 'by link')))
      expect(shown.raw.imageMessage?.caption).to.equal('by link')
      const place = await arrived(await sent(new Location(-46.6, -23.5, 'Shop', 'Street 1')))
      expect(place.raw.locationMessage?.name).to.equal('Shop')
      const asked = await ana.send(number, { Text: 'nice?' })
      await receiver.body(({ messages }) => messages?.[0]?.id === asked)
      const { raw } = await arrived(await sent(new Reaction(asked, '👍')))
      expect(raw.reactionMessage?.text).to.equal('👍')
    })

    it('uploads and fetches files, and marks as read', async () => {
      const form = new FormData()
      form.append('file', new Blob([image], { type: 'image/jpeg' }), 'a.jpg')
      form.append('type', 'image/jpeg')
      const uploaded = await api.uploadMedia(number, form)
      if (!('id' in uploaded)) throw new Error(JSON.stringify(uploaded))
      const found = await api.retrieveMedia(uploaded.id)
      if (!('url' in found)) throw new Error(JSON.stringify(found))
      const bytes = Buffer.from(await (await api.fetchMedia(found.url)).arrayBuffer())
      expect(bytes.equals(image)).to.equal(true)
      expect(await api.deleteMedia(uploaded.id)).to.deep.equal({ success: true })
      const id = await ana.send(number, { Text: 'read me' })
      await receiver.body(({ messages }) => messages?.[0]?.id === id)
      expect(await api.markAsRead(number, id)).to.deep.equal({ success: true })
    })

    it('accepts the webhooks, by their signature', async () => {
      const received: string[] = []
      const states: string[] = []
      api.on.message = ({ message, from, name }) => void received.push(`${from} ${name} ${message.type}`)
      api.on.status = ({ status, id }) => void states.push(`${id} ${status}`)
      const id = await ana.send(number, { Text: 'to the class' })
      const { body, headers } = await deliveryOf(id)
      await api.post(JSON.parse(body), body, headers['x-hub-signature-256'] ?? '')
      expect(received).to.deep.equal([`${ana.account.phone} Ana text`])
      const own = await sent(new Text('watched'))
      const delivered = await receiver.wait(({ body }) => body.includes(own) && body.includes('"delivered"'))
      await api.post(
        JSON.parse(delivered.body),
        delivered.body,
        delivered.headers['x-hub-signature-256'] ?? '',
      )
      expect(states).to.deep.equal([`${own} delivered`])
      const query = {
        'hub.mode': 'subscribe',
        'hub.challenge': '42',
        'hub.verify_token': VERIFY_TOKEN,
      } as const
      expect(await api.get(query)).to.equal('42')
    })
  })

  describe('@great-detail/whatsapp', () => {
    let sdk: GreatDetail
    before(() => {
      const headers = { Authorization: `Bearer ${session.token}` }
      sdk = new GreatDetail({ prefixUrl: world.gateway.url, graphVersion: 'v23.0', request: { headers } })
    })

    it('sends a message, and reads the number and its account', async () => {
      const answer = await sdk.message
        .createMessage({
          phoneNumberID: number,
          to: ana.account.phone,
          type: MessageType.Text,
          text: { body: 'from great detail' },
        })
        .json()
      const { raw } = await arrived(answer.messages[0]?.id)
      expect(raw.extendedTextMessage?.text).to.equal('from great detail')
      const one = await sdk.phoneNumbers.getPhoneNumber({ phoneNumberID: number }).json()
      expect(one).to.include({ id: number, display_phone_number: `+${number}` })
      const apps = await sdk.subscribedApps.listSubscriptions({ businessAccountID: number } as never).json()
      expect(apps.data).to.have.length(1)
    })

    it('uploads, finds, downloads and deletes a file', async () => {
      const file = new Blob([image], { type: 'image/jpeg' })
      const { id } = await sdk.media
        .upload({ phoneNumberID: number, file, filename: 'a.jpg', mimeType: 'image/jpeg' })
        .json()
      const { url } = await sdk.media.getURL({ mediaID: id }).json()
      const bytes = Buffer.from(await (await sdk.media.download({ mediaURL: url })).arrayBuffer())
      expect(bytes.equals(image)).to.equal(true)
      expect(await sdk.media.delete({ mediaID: id }).json()).to.deep.equal({ success: true })
    })
  })
})

async function failure(work: Promise<unknown>): Promise<Record<string, unknown>> {
  return work.then(
    () => ({ code: 'none' }),
    (error: Record<string, unknown>) => ({ httpStatus: error['httpStatus'], code: error['code'] }),
  )
}
