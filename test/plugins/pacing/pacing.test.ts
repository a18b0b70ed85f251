import { expect } from 'chai'
import pacing from '../../../plugins/pacing/index.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import type { Answer } from '../../support/calls.ts'
import { type Engine, engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'

describe('pacing', () => {
  const worlds: World[] = []
  after(() => Promise.all(worlds.map((world) => world.stop())))

  const paced = async (
    config: Record<string, number>,
    engine?: Engine,
  ): Promise<{ world: World; session: LinkedSession }> => {
    const world = await startWorld({ extra: [pacing], config: { pacing: config } }, engine)
    worlds.push(world)
    return { world, session: await world.linked(await world.phone('Shop')) }
  }
  const text = (session: LinkedSession, to: Phone, Body: string): Promise<Answer> =>
    session.post('/send/text', { Phone: to.account.phone, Body })
  const received = (phone: Phone, body: string) =>
    phone.wait(({ raw }) => raw.extendedTextMessage?.text === body)

  describe('rate', () => {
    it('sends a burst at once and the rest at the configured rate', async () => {
      const { world, session } = await paced({ perSecond: 5, burst: 3, chatPauseMs: 0, jitterMs: 0 })
      const phones = await Promise.all(['A', 'B', 'C', 'D', 'E'].map((name) => world.phone(name)))
      await text(session, phones[0] as Phone, 'to know the devices')
      const began = Date.now()
      const times = await Promise.all(
        phones.map(async (phone) => {
          await text(session, phone, 'x')
          return Date.now() - began
        }),
      )
      // Two of the burst are left at most; the other three come 200 ms after each other.
      expect(Math.max(...times)).to.be.greaterThan(400)
    })

    it('pauses in one chat while another continues', async () => {
      const { world, session } = await paced({ perSecond: 100, burst: 100, chatPauseMs: 1500, jitterMs: 1 })
      const [ana, bea] = [await world.phone('Ana'), await world.phone('Bea')]
      await text(session, ana, 'one')
      const began = Date.now()
      const second = text(session, ana, 'two').then(() => Date.now() - began)
      const other = text(session, bea, 'three').then(() => Date.now() - began)
      expect(await second).to.be.greaterThan(1000)
      expect(await other).to.be.lessThan(await second)
    })

    it('leaves waiting messages to the next link', async () => {
      const { world, session } = await paced({ perSecond: 100, burst: 100, chatPauseMs: 1500, jitterMs: 1 })
      const ana = await world.phone('Ana')
      await text(session, ana, 'one')
      const body = { Phone: ana.account.phone, Body: 'two' }
      const prefer = { ...session.headers, Prefer: 'respond-async' }
      expect(await world.gateway.post('/send/text', body, prefer)).to.include({ status: 202 })
      expect(await session.post('/session/disconnect')).to.include({ status: 200 })
      expect(ana.messages().filter(({ raw }) => raw.extendedTextMessage?.text === 'two')).to.deep.equal([])
      await session.post('/session/connect', { Immediate: false })
      await received(ana, 'two')
    })
  })

  for (const engine of engines) {
    describe(`restrictions of the network on ${engine.name}`, () => {
      let world: World
      let session: LinkedSession
      let ana: Phone
      let bea: Phone
      before(async () => {
        const config = { perSecond: 1000, burst: 100, chatPauseMs: 0, jitterMs: 0, holdMs: 3000 }
        ;({ world, session } = await paced(config, engine))
        ana = await world.phone('Ana')
        bea = await world.phone('Bea')
        await text(session, ana, 'hello')
      })

      it('holds new chats after a refusal, continues others, and sends again when it is over', async () => {
        const dora = await world.phone('Dora')
        await dora.send(session.phone.account.phone, { Text: 'I write first' })
        // WhatsApp does not say until when.
        const { phone: Phone } = session.phone.account
        world.fault({ Phone, Fault: 'refuseQuery', Xmlns: 'w:mex', Count: 100 })
        world.fault({ Phone, Fault: 'refuse', Code: 463, Count: 1 })
        const refused = await text(session, bea, 'new')
        expect(refused).to.include({ status: 403, errorCode: 'ACCOUNT_RESTRICTED' })

        const caio = await world.phone('Caio')
        const { messages, refused: refusals } = world.counters()
        const held = await text(session, caio, 'held')
        expect(held).to.include({ status: 429, success: false })
        const until = /new chats until (\S+);/.exec(held.error ?? '')?.[1] ?? ''
        expect(Date.parse(until)).to.be.greaterThan(Date.now())
        expect(world.counters()).to.include({ messages, refused: refusals })

        expect(await text(session, ana, 'we know each other')).to.include({ status: 200 })
        expect(await text(session, dora, 'so do we')).to.include({ status: 200 })

        while (Date.now() < Date.parse(until)) await new Promise((resolve) => setTimeout(resolve, 50))
        expect(await text(session, caio, 'free again')).to.include({ status: 200 })
        await received(caio, 'free again')
        world.fault({ Phone, Fault: 'clear' })
      })

      it('holds no other chat after a refusal for want of a token (whatsapp/06)', async () => {
        const stranger = await world.phone('Eva')
        await session.phone.act({ Action: 'salt', Data: { On: false } })
        const forgotten = async () => (await text(session, stranger, 'hello')).errorCode === 'TOKEN_MISSING'
        await eventually(forgotten, 'refused')
        await session.phone.act({ Action: 'salt' })
        world.fault({ Fault: 'lenientTokens' })
        const next = await world.phone('Fabio')
        expect(await text(session, next, 'not held')).to.include({ status: 200 })
        world.fault({ Fault: 'clear' })
      })
    })
  }
})
