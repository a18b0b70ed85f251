import { createHash } from 'node:crypto'
import { WhatsAppClient } from '@kapso/whatsapp-cloud-api'
import { normalizeWebhook, verifySignature } from '@kapso/whatsapp-cloud-api/server'
import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import type { LinkedSession, World } from '../../support/world.ts'
import { type Cloud, openCloud } from './cloud.ts'
import { APP_SECRET, type CloudReceiver, setWebhook } from './receiver.ts'

/** The package as its users install it, pointed at the gateway. */
describe('@kapso/whatsapp-cloud-api', () => {
  let cloud: Cloud
  let world: World
  let session: LinkedSession
  let ana: Phone
  let receiver: CloudReceiver
  let number: string
  let image: Buffer
  let client: WhatsAppClient
  before(async () => {
    cloud = await openCloud()
    ;({ world, session, ana, number, receiver, image } = cloud)
    const set = await setWebhook(world, session, receiver.url)
    expect(set.status, set.error).to.equal(200)
    client = new WhatsAppClient({ accessToken: session.token, baseUrl: world.gateway.url })
  })
  after(() => cloud.stop())
  const arrived = (id: string | undefined) => ana.wait((message) => message.id === id)
  const deliveryOf = (id: string) =>
    receiver.wait(({ body }) => body.includes(`"messages":[`) && body.includes(id))
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

async function failure(work: Promise<unknown>): Promise<Record<string, unknown>> {
  return work.then(
    () => ({ code: 'none' }),
    (error: Record<string, unknown>) => ({ httpStatus: error['httpStatus'], code: error['code'] }),
  )
}
