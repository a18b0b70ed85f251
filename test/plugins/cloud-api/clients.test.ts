import GreatDetail, { MessageType } from '@great-detail/whatsapp'
import { expect } from 'chai'
import { WhatsAppAPI } from 'whatsapp-api-js'
import { Image, Location, Reaction, Text } from 'whatsapp-api-js/messages'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import type { FileServer } from '../../support/servers/file-server.ts'
import type { LinkedSession, World } from '../../support/world.ts'
import { type Cloud, openCloud } from './cloud.ts'
import { APP_SECRET, type CloudReceiver, setWebhook, VERIFY_TOKEN } from './receiver.ts'

/** The packages as their users install them, pointed at the gateway. */
describe('other clients of the Cloud API', () => {
  let cloud: Cloud
  let world: World
  let session: LinkedSession
  let ana: Phone
  let files: FileServer
  let receiver: CloudReceiver
  let number: string
  let image: Buffer
  before(async () => {
    cloud = await openCloud()
    ;({ world, session, ana, number, files, receiver, image } = cloud)
    const set = await setWebhook(world, session, receiver.url)
    expect(set.status, set.error).to.equal(200)
  })
  after(() => cloud.stop())
  const arrived = (id: string | undefined) => ana.wait((message) => message.id === id)
  const deliveryOf = (id: string) =>
    receiver.wait(({ body }) => body.includes(`"messages":[`) && body.includes(id))

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
    let request: { headers: Record<string, string> }
    before(() => {
      request = { headers: { Authorization: `Bearer ${session.token}` } }
      sdk = new GreatDetail({ prefixUrl: world.gateway.url, graphVersion: 'v23.0', request })
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
      const apps = await sdk.subscribedApps.listSubscriptions({ businessAccountID: number }).json()
      expect(apps.data).to.have.length(1)
    })

    it('uploads, finds, downloads and deletes a file', async () => {
      const file = new Blob([image], { type: 'image/jpeg' })
      const { id } = await sdk.media
        .upload({ phoneNumberID: number, file, filename: 'a.jpg', mimeType: 'image/jpeg' })
        .json()
      const { url } = await sdk.media.getURL({ mediaID: id }).json()
      const bytes = Buffer.from(await (await sdk.media.download({ mediaURL: url, request })).arrayBuffer())
      expect(bytes.equals(image)).to.equal(true)
      expect(await sdk.media.delete({ mediaID: id }).json()).to.deep.equal({ success: true })
    })

    it('accepts the webhooks, by their signature', async () => {
      const id = await ana.send(number, { Text: 'to great detail' })
      const { body, headers } = await deliveryOf(id)
      const event = await sdk.webhook.eventNotification({ method: 'POST', query: {}, body, headers })
      await event.verifySignature(APP_SECRET)
      expect(await event.checkSignature('another')).to.equal(false)
      const [change] = event.eventNotification.entry[0]?.changes ?? []
      expect(JSON.stringify(change)).to.include(id)
    })
  })
})
