import { expect } from 'chai'
import cloudApi from '../../../plugins/cloud-api/index.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { picture } from '../../support/picture.ts'
import { type LinkedSession, openShop, startWorld, type World } from '../../support/world.ts'
import { type CloudReceiver, isSigned, setWebhook, startCloudReceiver, textsOf } from './receiver.ts'

const numbered = (count: number, word = 'message'): string[] =>
  Array.from({ length: count }, (_, at) => `${word} ${at + 1}`)

for (const engine of engines) {
  describe(`webhooks of the Cloud API, ${engine.name}`, () => {
    let world: World
    let session: LinkedSession
    let ana: Phone
    let number: string
    let receiver: CloudReceiver
    const config = { webhook: { timeoutMs: 1500, retrySeconds: Array.from({ length: 12 }, () => 0.1) } }
    before(async () => {
      ;({ world, session, ana } = await openShop({ extra: [cloudApi], config }, engine))
      number = session.phone.account.phone
    })
    after(() => world.stop())
    beforeEach(async () => {
      receiver = await startCloudReceiver()
      expect((await setWebhook(world, session, receiver.url)).status).to.equal(200)
    })
    afterEach(async () => {
      await world.gateway.call('DELETE', '/cloud-api/webhook', { headers: session.headers })
      await receiver.close()
    })
    const own = async () => (await session.get('/cloud-api')).data
    const send = async (body: object) => {
      const response = await fetch(`${world.gateway.url}/v23.0/${number}/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${session.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ messaging_product: 'whatsapp', to: ana.account.phone, ...body }),
      })
      const answer = (await response.json()) as { messages: [{ id: string }] }
      return answer.messages[0].id
    }

    it('are refused by a receiver that does not know the verify token', async () => {
      const body = { URL: receiver.url, VerifyToken: 'another' }
      const set = await world.gateway.call('PUT', '/cloud-api/webhook', { body, headers: session.headers })
      expect(set).to.include({ status: 400, errorCode: 'CLOUD_CALLBACK_FAILED' })
      expect((await own()).URL).to.equal(receiver.url)
      expect((await setWebhook(world, session, `${receiver.url}?inbox=1`)).status).to.equal(200)
      expect((await own()).URL).to.equal(`${receiver.url}?inbox=1`)
      const challenge = receiver.deliveries.at(-1)?.path ?? ''
      expect(challenge).to.match(/\?inbox=1&hub\.mode=subscribe&hub\.challenge=\d+&hub\.verify_token=token/)
    })

    it('have the form of the Cloud API, and are signed', async () => {
      const id = await ana.send(number, { Text: 'are you open?' })
      const delivery = await receiver.wait(({ body }) => body.includes(id))
      expect(isSigned(delivery)).to.equal(true)
      const { phone, lid } = ana.account
      const body = JSON.parse(delivery.body)
      const [message] = body.entry[0].changes[0].value.messages
      expect(Number(message.timestamp)).to.be.closeTo(Date.now() / 1000, 60)
      const metadata = { display_phone_number: number, phone_number_id: number }
      const contacts = [{ profile: { name: 'Ana' }, wa_id: phone, user_id: lid }]
      const { timestamp } = message
      const messages = [
        { from: phone, from_user_id: lid, id, timestamp, type: 'text', text: { body: 'are you open?' } },
      ]
      const value = { messaging_product: 'whatsapp', metadata, contacts, messages }
      expect(body).to.deep.equal({
        object: 'whatsapp_business_account',
        entry: [{ id: number, changes: [{ value, field: 'messages' }] }],
      })
    })

    it('say what became of a message, under the id that the send was answered with', async () => {
      const id = await send({ type: 'text', text: { body: 'hi' }, biz_opaque_callback_data: 'order 7' })
      const state = async (wanted: string) => {
        const { statuses = [] } = await receiver.body(
          ({ statuses }) => statuses?.[0]?.id === id && statuses[0].status === wanted,
        )
        return statuses[0]
      }
      const sent = await state('sent')
      expect(sent).to.include({ recipient_id: ana.account.phone, biz_opaque_callback_data: 'order 7' })
      expect(await state('delivered')).to.include({ recipient_id: ana.account.phone })
      await ana.act({ Action: 'read', Chat: number, Id: id })
      expect(await state('read')).to.include({ biz_opaque_callback_data: 'order 7' })
    })

    it('have messages of all kinds', async () => {
      const image = await picture()
      const seen = async (id: string) => {
        const { messages = [] } = await receiver.body(({ messages }) => messages?.[0]?.id === id)
        return messages[0]
      }
      const shown = await seen(await ana.send(number, { Message: { image, caption: 'look' } }))
      expect(shown.image).to.include({ mime_type: 'image/jpeg', caption: 'look' })
      const headers = { authorization: `Bearer ${session.token}` }
      const found = await fetch(`${world.gateway.url}/v23.0/${shown.image.id}`, { headers })
      const { url, sha256 } = (await found.json()) as { url: string; sha256: string }
      expect(Buffer.from(sha256, 'hex').toString('base64')).to.equal(shown.image.sha256)
      const bytes = Buffer.from(await (await fetch(url, { headers })).arrayBuffer())
      expect(bytes.toString('base64')).to.equal(image.split(',')[1])
      expect((await fetch(url)).status).to.equal(401)
      const again = await send({ type: 'image', image: { id: shown.image.id } })
      expect((await ana.wait(({ id }) => id === again)).raw.imageMessage).not.to.equal(undefined)

      const place = { locationMessage: { degreesLatitude: -23.5, degreesLongitude: -46.6, name: 'Home' } }
      const at = await seen(await ana.send(number, { Message: place }))
      expect(at.location).to.deep.equal({ latitude: -23.5, longitude: -46.6, name: 'Home' })
      const live = { liveLocationMessage: { degreesLatitude: 1, degreesLongitude: 2, speedInMps: 3 } }
      const moving = await seen(await ana.send(number, { Message: live }))
      expect(moving.location).to.deep.equal({ latitude: 1, longitude: 2 })
      const vcard = 'BEGIN:VCARD\nVERSION:3.0\nFN:Rui\nTEL;waid=5511977777777:+55 11 97777-7777\nEND:VCARD'
      const card = await seen(
        await ana.send(number, { Message: { contactMessage: { displayName: 'Rui', vcard } } }),
      )
      expect(card.contacts[0].phones[0].wa_id).to.equal('5511977777777')
      const quoted = {
        stanzaId: shown.id,
        participant: ana.account.jid,
        quotedMessage: { conversation: 'x' },
      }
      const reply = { extendedTextMessage: { text: 'and?', contextInfo: quoted } }
      const answered = await seen(await ana.send(number, { Message: reply }))
      expect(answered.context).to.deep.equal({ from: ana.account.phone, id: shown.id })
      const unknown = { eventMessage: { joinLink: 'https://example.com' } }
      const odd = await seen(await ana.send(number, { Message: unknown }))
      expect(odd).to.deep.include({ type: 'unsupported' })
    })

    it('name the ad from which somebody writes', async () => {
      const ad = { Id: '1202', Url: 'https://fb.me/a', Headline: 'Bread', Body: 'Fresh', ClickId: 'ARAk' }
      const written = async (Data: Record<string, unknown>) => {
        const { Id } = await ana.act({ Action: 'writeFromAd', Chat: number, Text: 'hello', Data })
        const { messages = [] } = await receiver.body(({ messages }) => messages?.[0]?.id === Id)
        return messages[0]
      }
      const card = {
        source_url: 'https://fb.me/a',
        source_type: 'ad',
        source_id: '1202',
        headline: 'Bread',
        body: 'Fresh',
        ctwa_clid: 'ARAk',
      }
      const picture = 'https://scontent.example/a.jpg'
      const shown = await written({ ...ad, Picture: picture, Greeting: 'Hi!' })
      expect(shown).to.deep.include({ type: 'text', text: { body: 'hello' } })
      expect(shown.referral).to.deep.equal({
        ...card,
        media_type: 'image',
        image_url: picture,
        welcome_message: { text: 'Hi!' },
      })
      const Video = 'https://www.facebook.com/1/videos/2/'
      const film = { media_type: 'video', video_url: Video, thumbnail_url: picture }
      expect((await written({ ...ad, Picture: picture, Video })).referral).to.deep.equal({ ...card, ...film })
      expect(await written({ ...ad, Opaque: true })).not.to.have.property('referral')
    })

    it('leave groups out unless the session wants them, and echo what the phone sends if it does', async () => {
      const { data } = await session.post('/group/create', {
        GroupName: 'Team',
        Participants: [ana.account.phone],
      })
      await ana.send(data.JID, { Text: 'to all' })
      await ana.send(number, { Text: 'to you' })
      await receiver.body((value) => textsOf([value]).includes('to you'))
      expect(textsOf(receiver.bodies())).not.to.include('to all')
      const body = { Values: { groups: true, echoes: true } }
      await world.gateway.call('PUT', '/session/settings/cloud-api', { body, headers: session.headers })
      await ana.send(data.JID, { Text: 'again' })
      const { messages = [] } = await receiver.body((value) => textsOf([value]).includes('again'))
      expect(messages[0]).to.include({ group_id: data.JID, from: ana.account.phone })
      const id = await session.phone.send(ana.account.phone, { Text: 'by hand' })
      const { message_echoes: echoes = [] } = await receiver.body(
        (value) => value.message_echoes?.[0]?.id === id,
      )
      expect(echoes[0]).to.deep.include({ from: number, to: ana.account.phone, text: { body: 'by hand' } })
      const off = { Values: {} }
      await world.gateway.call('PUT', '/session/settings/cloud-api', { body: off, headers: session.headers })
    })

    it('come in order after the receiver was down, slow and refusing', async () => {
      const wanted = numbered(6, 'fault')
      const faults = ['hang', 'reset', { status: 503 }, { status: 500 }, { status: 404 }] as const
      const texts = new Map<string, number>()
      receiver.answer(({ body }) => {
        const [text = ''] = textsOf([JSON.parse(body).entry[0].changes[0].value])
        if (!text.startsWith('fault')) return { status: 200 }
        const tries = texts.get(text) ?? 0
        texts.set(text, tries + 1)
        return (text === 'fault 2' ? faults[tries] : undefined) ?? { status: 200 }
      })
      for (const text of wanted) await ana.send(number, { Text: text })
      await receiver.wait(({ body }) => body.includes('fault 6'))
      const tried = textsOf(receiver.bodies()).filter((text) => text.startsWith('fault'))
      expect(tried.filter((text, at) => text !== tried[at - 1])).to.deep.equal(wanted)
      expect(texts.get('fault 2')).to.equal(6)
      await eventually(
        async () => expect(await own()).to.include({ Waiting: 0, Dead: 0, LastError: '' }),
        'nothing waits',
      )
    })
  })

  describe(`webhooks of the Cloud API over a refusal and a restart, ${engine.name}`, () => {
    it('let other chats pass while one is refused, and the rest of its own after a while', async () => {
      const config = { webhook: { retrySeconds: [0.2, 60] } }
      const { world, session, ana } = await openShop({ extra: [cloudApi], config }, engine)
      const bea = await world.phone('Bea')
      const number = session.phone.account.phone
      const receiver = await startCloudReceiver()
      await setWebhook(world, session, receiver.url)
      const own = async () => (await session.get('/cloud-api')).data
      receiver.answer(({ body }) => ({ status: body.includes('poison') ? 400 : 200 }))
      await ana.send(number, { Text: 'poison' })
      await receiver.wait(({ body }) => body.includes('poison'))
      await ana.send(number, { Text: 'after it' })
      await bea.send(number, { Text: 'of another chat' })
      await receiver.body((value) => textsOf([value]).includes('of another chat'))
      await receiver.body((value) => textsOf([value]).includes('after it'))
      const tries = textsOf(receiver.bodies())
      expect(tries.filter((text) => text === 'poison').length).to.be.greaterThan(1)
      expect(tries.indexOf('of another chat')).to.be.lessThan(tries.indexOf('after it'))
      await eventually(
        async () => expect(await own()).to.include({ Waiting: 1, Dead: 0, LastError: 'status 400' }),
        'it waits',
      )
      receiver.answer(() => ({ status: 200 }))
      await session.post('/cloud-api/webhook/retry')
      await eventually(async () => expect(await own()).to.include({ Waiting: 0 }), 'nothing waits')
      await world.stop()
      await receiver.close()
    })

    it('come once the gateway and the receiver are back, in order', async () => {
      const place = engine.fresh()
      const receiver = await startCloudReceiver()
      const first = await openShop({ extra: [cloudApi], ...place }, engine)
      const { session, ana, world } = first
      await setWebhook(world, session, receiver.url)
      receiver.answer(() => 'hang')
      const number = session.phone.account.phone
      const wanted = numbered(4)
      for (const text of wanted) await ana.send(number, { Text: text })
      await receiver.wait(({ body }) => body.includes('message 1'))
      await world.stop()
      const before = receiver.deliveries.length
      receiver.answer(() => ({ status: 200 }))
      const second = await startWorld({ extra: [cloudApi], ...place }, engine)
      await receiver.wait(({ body }) => body.includes('message 4'))
      const came = textsOf(receiver.bodies().slice(before - receiver.deliveries.length))
      expect(came.filter((text) => text.startsWith('message'))).to.deep.equal(wanted)
      await second.stop()
      await receiver.close()
    })
  })
}
