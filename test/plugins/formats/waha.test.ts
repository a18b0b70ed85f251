import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { engines } from '../../support/databases.ts'
import { type Body, compare, madeBodies, openScene, PUBLIC_URL, qrBody, type Scene } from './scene.ts'

/** As in WAHA's guides: an echo of texts, which keeps the address of files. */
function receiverOf(): { seen: string[]; handle(body: Body): void } {
  const seen: string[] = []
  return {
    seen,
    handle({ event, session, payload }) {
      if (event === 'message' && payload.hasMedia)
        seen.push(
          `${session}: ${payload.from} sent ${payload.media.mimetype}: ${payload.body} ${payload.media.url}`,
        )
      else if (event === 'message') seen.push(`${session}: ${payload.from} says ${payload.body}`)
      else if (event === 'message.reaction')
        seen.push(`${payload.from} reacts with ${payload.reaction.text} to ${payload.reaction.messageId}`)
      else if (event === 'message.ack') seen.push(`${payload.id} is ${payload.ackName} ${payload.ack}`)
    },
  }
}

const is = {
  message: (id: string) => (body: Body) =>
    /^message(\.any)?$/.test(body.event) && body.payload.id.includes(id),
  read:
    (id: string) =>
    ({ event, payload }: Body) =>
      event === 'message.ack' && payload.id.endsWith(id) && payload.ackName === 'READ',
  reaction: ({ event }: Body) => event === 'message.reaction',
  presence: ({ event }: Body) => event === 'presence.update',
  edit: ({ event }: Body) => event === 'message.edited',
  revoke: ({ event }: Body) => event === 'message.revoked',
  vote: ({ event }: Body) => event === 'poll.vote',
}

for (const engine of engines) {
  describe(`webhooks in the format of WAHA on ${engine.name}`, () => {
    let scene: Scene
    let made: Record<string, Body>
    before(async function () {
      this.timeout(240_000)
      scene = await openScene('waha', engine)
      made = await madeBodies(scene, is)
    })
    after(() => scene.stop())

    it('reach a receiver written for it: a text, a picture, a reaction, a receipt', () => {
      const { shop, number } = scene
      const receiver = receiverOf()
      for (const name of ['text', 'image', 'reaction', 'receipt']) receiver.handle(made[name])
      const id = made['own'].payload.id
      expect(id).to.match(new RegExp(`^true_${number}@c\\.us_`))
      const [text, image, ...others] = receiver.seen
      expect(text).to.equal(`Shop: ${number}@c.us says Hi there!`)
      expect(image).to.include(`Shop: ${number}@c.us sent image/png: hello ${PUBLIC_URL}/media/`)
      expect(others).to.deep.equal([`${number}@c.us reacts with 👍 to ${id}`, `${id} is READ 3`])
      expect(made['own'].payload).to.include({ source: 'api', from: `${shop}@c.us`, to: `${number}@c.us` })
    })

    it('have their headers, and their signature with the secret of the endpoint', async () => {
      const delivery = await scene.receiver.wait(({ body }) => body.includes('Hi there!'))
      const { headers, body } = delivery
      const hmac = createHmac('sha512', scene.endpoint.Secret).update(body).digest('hex')
      expect(headers).to.include({ 'x-webhook-hmac': hmac, 'x-webhook-hmac-algorithm': 'sha512' })
      expect(headers['x-webhook-request-id']).to.equal(JSON.parse(body).id)
      expect(Math.abs(Number(headers['x-webhook-timestamp']) - Date.now())).to.be.below(600_000)
    })

    it('say whose message a reaction, an edit, a deletion and a vote are about', () => {
      const { number } = scene
      expect(made['edit'].payload).to.include({ body: 'second' })
      expect(made['revoke'].payload).to.include({ before: null })
      expect(made['text'].payload.id).to.equal(
        `false_${number}@c.us_${made['revoke'].payload.revokedMessageId}`,
      )
      expect(made['vote'].payload.vote).to.include({ to: 'me', from: `${number}@c.us`, fromMe: false })
      expect(made['vote'].payload.vote.selectedOptions).to.deep.equal(['Two'])
      expect(made['vote'].payload.poll).to.include({ to: `${number}@c.us`, from: 'me', fromMe: true })
      expect(made['reply'].payload.replyTo).to.include({ id: made['own'].payload.id, body: 'Question?' })
      expect(made['group'].payload.id).to.match(new RegExp(`^false_.*@g\\.us_.*_${number}@c\\.us$`))
    })

    it('tell what was sent through the gateway from what the phone sent', async () => {
      const { session, number } = scene
      const id = await session.phone.send(number, { Text: 'from the phone' })
      const { event, payload } = await scene.body(is.message(id))
      expect([event, payload.fromMe, payload.source]).to.deep.equal(['message.any', true, 'app'])
    })

    it('have the documented shape, key by key, except for what the README lists', async () => {
      const { session } = scene
      await session.post('/session/disconnect', {})
      await session.post('/session/connect', {})
      const isStatus = (status: string) => (body: Body) =>
        body.event === 'session.status' && body.payload.status === status
      made['status'] = await scene.body(isStatus('WORKING'))
      made['qr'] = await qrBody(scene, 'waha', isStatus('SCAN_QR_CODE'))
      expect(compare('waha', made)).to.deep.equal({ differences: [], idle: [] })
    })

    it('say what waits for its content, but not of a reaction that does', async () => {
      const { ana, world, shop } = scene
      const target = await scene.say('to react to')
      await scene.body(is.message(target))
      const garbled = async (action: object) => {
        world.fault({ Fault: 'garble', Phone: shop })
        return String((await ana.act({ Action: 'react', Chat: shop, ...action }))['Id'])
      }
      const reaction = await garbled({ Id: target, Text: '🙂' })
      await scene.body(({ event, payload }) => event === 'message.reaction' && payload.id.endsWith(reaction))
      const poll = await garbled({ Action: 'poll', Text: 'When?', Data: { Options: ['now'] } })
      await scene.body(is.message(poll))
      const told = scene.receiver.deliveries.map(({ body }) => JSON.parse(body) as Body)
      const waiting = told.filter(({ event }) => event === 'message.waiting')
      expect(waiting.map(({ payload }) => payload.id.split('_').at(-1))).to.deep.equal([poll])
    })

    it('are those that the endpoint chose, by their names there', async () => {
      const { session, receiver, endpoint } = scene
      const change = { Id: endpoint.Id, URL: receiver.url, Events: ['message', 'message.any'] }
      expect((await session.post('/webhook/endpoints', change)).data.Events).to.deep.equal(change.Events)
      const id = await scene.say('twice')
      await scene.body(({ event, payload }) => event === 'message.any' && payload.id.includes(id))
      const names = receiver.deliveries
        .map(({ body }) => JSON.parse(body))
        .filter(({ payload }) => String(payload.id).includes(id))
        .map(({ event }) => event)
      expect(names).to.deep.equal(['message', 'message.any'])
      const refused = await session.post('/webhook/endpoints', { ...change, Events: ['telex'] })
      expect(refused).to.include({ status: 400, errorCode: 'FIELD_INVALID' })
      expect(refused.error).to.include('Events').and.include('telex').and.include('message.any')
    })
  })
}
