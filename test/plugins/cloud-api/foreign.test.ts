import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { admin, type LinkedSession, type World } from '../../support/world.ts'
import { type Cloud, type GraphAnswer, openCloud } from './cloud.ts'
import { setWebhook } from './receiver.ts'

const MISSING = `evt_${'a'.repeat(26)}`

describe('the dialect of the Cloud API, about what is not the caller’s,', () => {
  let cloud: Cloud
  let world: World
  let session: LinkedSession
  let ana: Phone
  let bob: Phone
  let number: string
  before(async () => {
    cloud = await openCloud()
    ;({ world, session, ana, number } = cloud)
    bob = await world.phone('Bob')
    await setWebhook(world, session, cloud.receiver.url)
  })
  after(() => cloud.stop())

  const keyOf = async (body: object, headers: Record<string, string> = session.headers): Promise<string> =>
    (await world.gateway.post('/keys', { Name: 'app', Scopes: ['read', 'send'], ...body }, headers)).data.Key
  const get = (id: string, token: string) => cloud.graph('GET', `/v23.0/${id}`, undefined, token)
  const upload = async (token: string): Promise<string> => {
    const form = new FormData()
    form.set('messaging_product', 'whatsapp')
    form.set('file', new Blob([Uint8Array.from(cloud.image)], { type: 'image/jpeg' }), 'a.jpg')
    const headers = { authorization: `Bearer ${token}` }
    const path = `${world.gateway.url}/v23.0/${number}/media`
    const answer = await fetch(path, { method: 'POST', headers, body: form })
    return ((await answer.json()) as { id: string }).id
  }
  const plain = ({ status, body }: GraphAnswer, id: string) =>
    JSON.stringify([status, body])
      .replaceAll(id, '<id>')
      .replace(/"fbtrace_id":"[^"]*"/, '')

  it('gives an upload to its uploader, where that one is limited to some chats, and to the session', async () => {
    const [one, two] = await Promise.all([1, 2].map(() => keyOf({ Chats: [ana.account.phone] })))
    const id = await upload(one ?? '')
    const missing = `9${'0'.repeat(20)}`
    const image = (media: string, token?: string) =>
      cloud.send({ type: 'image', image: { id: media } }, token)
    const remove = (media: string, token?: string) =>
      cloud.graph('DELETE', `/v23.0/${media}`, undefined, token)
    for (const call of [get, image, remove])
      expect(plain(await call(id, two ?? ''), id)).to.equal(plain(await call(missing, two ?? ''), missing))
    for (const token of [one, session.token]) expect((await get(id, token ?? '')).status).to.equal(200)
    const sent = await image(id, one)
    await ana.wait((message) => message.id === sent.body.messages[0].id)
    expect((await remove(id, one)).body).to.deep.equal({ success: true })
  })

  it('answers an object of another session as one that does not exist', async () => {
    const other = await world.linked(await world.phone('Second'))
    const event = (await other.get('/events?limit=1')).data.Events[0].eventId
    const { data } = await session.get('/session/summary')
    const several = await keyOf({ Sessions: [data.Sessions[0].Id, data.Sessions[0].Name] }, admin)
    const both = await keyOf({ AllSessions: true }, admin)
    const foreign = await keyOf({ Label: 'nobody:1' }, admin)
    for (const token of [await keyOf({}), session.token, several, foreign])
      for (const id of [event, other.phone.account.phone])
        expect(plain(await get(id, token), id)).to.equal(plain(await get(MISSING, token), MISSING))
    const limited = await keyOf({ Chats: [ana.account.phone] })
    const templates = (id: string) => get(`${id}/message_templates`, limited)
    expect(plain(await templates(event), event)).to.equal(plain(await templates(MISSING), MISSING))
    expect((await get(other.phone.account.phone, both)).status).to.equal(200)
  })

  it('does not take the words of a message to one person for those of a reply from another', async () => {
    const buttons = [
      { reply: { id: 'yes-1', title: 'Secret offer' } },
      { reply: { id: 'no-1', title: 'No' } },
    ]
    const interactive = { type: 'button', body: { text: 'Take it?' }, action: { buttons } }
    const asked = await cloud.shown({ type: 'interactive', interactive, biz_opaque_callback_data: 'order 7' })
    const id = ana.messages().at(-1)?.id ?? ''
    expect(asked).to.be.an('object')
    const quotedMessage = { conversation: 'Take it?' }
    const reply = async (phone: Phone) => {
      const contextInfo = { stanzaId: id, participant: session.phone.account.jid, quotedMessage }
      const message = { buttonsResponseMessage: { selectedButtonId: 'yes-1', type: 1, contextInfo } }
      const own = await phone.send(number, { Message: message })
      return cloud.receiver.body(({ messages }) => messages?.[0]?.id === own)
    }
    expect(JSON.stringify(await reply(ana))).to.include('Secret offer')
    expect(JSON.stringify(await reply(bob))).not.to.include('Secret offer')
  })
})
