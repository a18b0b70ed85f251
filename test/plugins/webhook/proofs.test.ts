import { expect } from 'chai'
import { refuses, shows } from '../../support/run/proof.ts'
import { startReceiver } from '../../support/servers/receiver.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'

describe('each webhook endpoint', () => {
  let world: World
  let session: LinkedSession
  before(async () => {
    world = await startWorld()
    session = await world.linked(await world.phone('Shop'))
  })
  after(() => world.stop())

  shows('POST /webhook', 'delivers events to the URL', async () => {
    const receiver = await startReceiver()
    await session.post('/webhook', { WebhookURL: receiver.url })
    await (await world.phone('Ana')).send(session.phone.account.phone, { Text: 'delivered' })
    await receiver.wait(({ body }) => body.includes('delivered'))
    await session.post('/webhook', { WebhookURL: '' })
    await receiver.close()
  })
  refuses('POST /webhook', 'a private address, and keeps the previous one', async () => {
    const answer = await session.post('/webhook', { WebhookURL: 'http://10.0.0.1/' })
    expect(answer.status).to.equal(400)
    expect((await session.get('/webhook')).data.webhook).to.equal('')
  })

  shows('GET /webhook', 'returns the settings', async () => {
    const receiver = await startReceiver()
    await session.post('/webhook', { WebhookURL: receiver.url, Subscribe: ['Message'] })
    expect((await session.get('/webhook')).data).to.deep.include({
      webhook: receiver.url,
      subscribe: ['Message'],
    })
    await receiver.close()
  })
  refuses('GET /webhook', 'an unknown token', async () => {
    expect(await world.gateway.get('/webhook', { token: 'nobody' })).to.include({
      status: 401,
      error: 'invalid token',
    })
  })
})
