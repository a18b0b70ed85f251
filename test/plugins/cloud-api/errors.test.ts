import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { admin, type LinkedSession, type World } from '../../support/world.ts'
import { type Cloud, errorOf, type GraphAnswer, openCloud } from './cloud.ts'

describe('the dialect of the Cloud API, to clients with and without rights,', () => {
  let cloud: Cloud
  let world: World
  let session: LinkedSession
  let ana: Phone
  let number: string
  before(async () => {
    cloud = await openCloud()
    ;({ world, session, ana, number } = cloud)
  })
  after(() => cloud.stop())
  const graph: Cloud['graph'] = (...args) => cloud.graph(...args)
  const send: Cloud['send'] = (...args) => cloud.send(...args)

  it('answers errors in the form of Graph, with the codes that clients know', async () => {
    expect(await errorOf(send({ type: 'text', text: { body: 'no' } }, 'wrong'))).to.deep.equal([401, 190])
    expect(await errorOf(send({ type: 'text', text: { body: 'no' } }, ''))).to.deep.equal([401, 190])
    expect(await errorOf(send({ type: 'text' }))).to.deep.equal([400, 131008])
    expect(await errorOf(send({ to: 'nobody', type: 'text', text: { body: 'no' } }))).to.deep.equal([
      400, 131009,
    ])
    expect(await errorOf(send({ to: '5511000000000', type: 'text', text: { body: 'no' } }))).to.deep.equal([
      400, 131026,
    ])
    expect(await errorOf(send({ type: 'hologram' }))).to.deep.equal([400, 131051])
    expect(
      await errorOf(send({ type: 'image', image: { link: `${cloud.files.url}/missing.jpg` } })),
    ).to.deep.equal([400, 131053])
    expect(
      await errorOf(
        graph('POST', '/v23.0/5511999990000/messages', { messaging_product: 'whatsapp', to: '1' }),
      ),
    ).to.deep.equal([400, 100])
    expect(await errorOf(graph('GET', '/v23.0/123456789012345'))).to.deep.equal([400, 100])
    expect(await errorOf(graph('GET', `/v23.0/${number}/flows`))).to.deep.equal([400, 131051])
    expect(await errorOf(graph('POST', `/vX/${number}/messages`, {}))).to.deep.equal([400, 100])
    const { error } = (await send({ type: 'text' })).body
    expect(error.message).to.equal('(#131008) Required parameter is missing')
    expect(error.error_data.details).to.include('text')
  })

  it('is for the keys of several sessions, by the number in the path, within their rights', async () => {
    const other = await world.linked(await world.phone('Second'))
    const second = other.phone.account.phone
    const make = async (body: object): Promise<string> =>
      (await world.gateway.post('/keys', { Name: 'app', ...body }, admin)).data.Key
    const all = await make({ Scopes: ['read', 'send'], AllSessions: true })
    const message = {
      messaging_product: 'whatsapp',
      to: ana.account.phone,
      type: 'text',
      text: { body: 'from the second' },
    }
    const sent = await graph('POST', `/v23.0/${second}/messages`, message, all)
    const received = await ana.wait(({ id }) => id === sent.body.messages[0].id)
    const { jid, lid } = other.phone.account
    expect([jid, lid].map((one) => one.split('@')[0])).to.include(received.from.split(/[:@]/)[0])
    const reader = await make({ Scopes: ['read'], AllSessions: true })
    expect(await errorOf(graph('POST', `/v23.0/${second}/messages`, message, reader))).to.deep.equal([
      403, 10,
    ])
    const { data } = await session.get('/session/status')
    const narrow = await make({ Scopes: ['send'], Sessions: [data.Id ?? data.Name], Chats: [second] })
    expect(await errorOf(send({ type: 'text', text: { body: 'no' } }, narrow))).to.deep.equal([400, 131030])
    expect(await errorOf(graph('POST', `/v23.0/${second}/messages`, message))).to.deep.equal([400, 100])
  })

  it('records what was refused in the audit log, and limits wrong tokens', async () => {
    const { receiver } = cloud
    const body = { override_callback_uri: receiver.url, verify_token: 'another' }
    expect(await errorOf(graph('POST', `/v23.0/${number}/subscribed_apps`, body))).to.deep.equal([400, 2200])
    const { data } = await world.gateway.get('/server/audit', admin)
    expect(data.Rows.at(-1)).to.include({ Action: 'cloud-api.webhook', Result: 'CLOUD_CALLBACK_FAILED' })
    const answers = new Set<string>()
    for (let tries = 0; tries < 25; tries += 1)
      answers.add(String(await errorOf(graph('GET', `/v23.0/${number}`, undefined, 'a-wrong-token'))))
    expect([...answers]).to.deep.equal(['401,190', '429,130429'])
    expect((await graph('GET', `/v23.0/${number}`)).status).to.equal(200)
  })

  const post = async (key: string) => {
    const response = await fetch(`${world.gateway.url}/v23.0/${number}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${session.token}`, 'idempotency-key': key },
      body: JSON.stringify({ messaging_product: 'whatsapp', to: ana.account.phone, text: { body: key } }),
    })
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as GraphAnswer['body'],
    }
  }
  const received = (text: string) =>
    ana.messages().filter(({ raw }) => raw.extendedTextMessage?.text === text)

  it('sends a message once for an Idempotency-Key', async () => {
    const first = await post('order-1')
    expect((await post('order-1')).body).to.deep.equal(first.body)
    await ana.wait(({ id }) => id === first.body.messages[0].id)
    expect(received('order-1')).to.have.length(1)
  })

  it('answers a request that is repeated while it runs as it answers the first', async () => {
    const { phone } = session.phone.account
    world.fault({ Phone: phone, Fault: 'delay', Ms: 200 })
    const [first, again] = await Promise.all([post('order-2'), post('order-2')])
    world.fault({ Phone: phone, Fault: 'clear' })
    expect([first?.status, again?.status]).to.deep.equal([200, 200])
    expect(again?.body).to.deep.equal(first?.body)
    await ana.wait(({ id }) => id === first?.body.messages[0].id)
    expect(received('order-2')).to.have.length(1)
  })

  it('says of an error that passes when to try again', async () => {
    world.fault({ Phone: session.phone.account.phone, Fault: 'refuse', Code: 503, Count: 1 })
    const busy = await post('order-3')
    expect([busy.status, busy.body.error.code]).to.deep.equal([503, 131016])
    expect(Number(busy.headers.get('retry-after'))).to.be.above(0)
    expect((await post('order-3')).status).to.equal(200)
    await session.post('/session/disconnect')
    const away = await post('order-4')
    await session.post('/session/connect')
    await session.status({ LoggedIn: true })
    expect([away.status, away.body.error.code]).to.deep.equal([503, 131016])
    expect(Number(away.headers.get('retry-after'))).to.be.above(0)
  })
})
