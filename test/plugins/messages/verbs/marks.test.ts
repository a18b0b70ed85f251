import { expect } from 'chai'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../../support/databases.ts'
import { eventually } from '../../../support/eventually.ts'
import { phoneHas, settingOf } from '../../../support/phone-settings.ts'
import { createProbe } from '../../../support/probe.ts'
import { refuses, shows } from '../../../support/run/proof.ts'
import { type LinkedSession, openShop, type World } from '../../../support/world.ts'

const DAY = 86_400

for (const engine of engines)
  describe(`marks on messages on ${engine.name}`, () => {
    const probe = createProbe()
    let world: World
    let session: LinkedSession
    let shop: Phone
    let ana: Phone
    let group: string
    before(async () => {
      ;({ world, session, ana } = await openShop({ extra: [probe.plugin] }, engine))
      shop = session.phone
      const Participants = [shop.account.phone]
      group = String((await ana.act({ Action: 'createGroup', Text: 'Team', Participants }))['JID'])
      await probe.synced(session)
    })
    after(() => world.stop())
    afterEach(() => world.fault({ Phone: shop.account.phone, Fault: 'clear' }))

    const said = async (text: string, to = shop.account.phone): Promise<string> => {
      const id = await ana.send(to, { Text: text })
      await probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === id)
      return id
    }
    const sent = async (text: string, to = ana.account.phone): Promise<string> => {
      const { data } = await session.post('/send/text', { Phone: to, Body: text })
      await ana.wait(({ id }) => id === data.Id)
      return data.Id
    }
    const does = async (path: string, body: object) => {
      const answer = await session.post(path, { Phone: ana.account.phone, ...body })
      expect(answer, `${answer.error} ${answer.details}`).to.include({ status: 200 })
      return answer.data
    }
    const pinned = (phone: Phone, chat: string, id: string): number | undefined =>
      phone.display.page(chat, Number.MAX_SAFE_INTEGER, 200).find(({ ID }) => ID === id)?.Pinned
    /** Nothing came in between. */
    const isSilent = async (post: (id: string) => Promise<void>): Promise<void> => {
      const id = await said('before it')
      const before = ana.messages().length
      await post(id)
      await sent('after it')
      expect(ana.messages()).to.have.length(before + 1)
    }

    describe('stars', () => {
      const { jid } = { jid: () => ana.account.jid }
      shows('POST /message/star', 'are on the own phone, and raise an event', async () => {
        const id = await said('a star')
        expect(await does('/message/star', { Id: id })).to.deep.equal({ Details: 'Message starred' })
        const action = await phoneHas(shop, ['star', jid(), id, '0', '0'])
        expect(action).to.deep.include({ starAction: { starred: true } })
        const { body } = await probe.event('Star', ({ MessageID }) => MessageID === id)
        expect(body['event']).to.deep.include({
          ChatJID: jid(),
          SenderJID: '',
          IsFromMe: false,
          Action: { starred: true },
        })
      })

      shows('POST /message/star', 'name the author in a group, and know own messages', async () => {
        const theirs = await said('of the team', group)
        await does('/message/star', { Phone: group, Id: theirs })
        await phoneHas(shop, ['star', group, theirs, '0', ana.account.lid])
        const own = await sent('of the shop')
        await does('/message/star', { Id: own })
        await phoneHas(shop, ['star', jid(), own, '1', '0'])
        await does('/message/star', { Id: 'FROM-THE-HISTORY', IsFromMe: true })
        await phoneHas(shop, ['star', jid(), 'FROM-THE-HISTORY', '1', '0'])
      })

      shows('POST /message/unstar', 'are removed, also those of the phone', async () => {
        const id = await said('for a while')
        await shop.act({ Action: 'star', Id: id })
        const { body } = await probe.event('Star', ({ MessageID }) => MessageID === id)
        expect(body['event']).to.deep.include({ IsFromMe: false, Action: { starred: true } })
        await does('/message/unstar', { Phone: ana.account.lid, Id: id })
        const isOff = ({ starAction }: Record<string, unknown>): boolean =>
          (starAction as { starred?: boolean }).starred === false
        await phoneHas(shop, ['star', ana.account.lid, id], isOff)
      })

      for (const path of ['/message/star', '/message/unstar'] as const)
        refuses(`POST ${path}`, 'unknown messages, and what the network refuses', async () => {
          const before = shop.view()['Settings']
          expect(await session.post(path, { Phone: ana.account.phone, Id: 'NOWHERE' })).to.include({
            status: 404,
            errorCode: 'MESSAGE_UNKNOWN',
          })
          const unnamed = { Phone: group, Id: 'NOWHERE', IsFromMe: false }
          expect((await session.post(path, unnamed)).error).to.equal('Missing Participant in Payload')
          const news = { Phone: '120363171234567890@newsletter', Id: 'NOWHERE' }
          expect((await session.post(path, news)).error).to.match(/^Invalid Phone: /)
          const id = await said('no star')
          world.fault({ Phone: shop.account.phone, Fault: 'refuseSettings', Code: 403 })
          expect((await session.post(path, { Phone: ana.account.phone, Id: id })).status).to.equal(403)
          expect(shop.view()['Settings']).to.deep.equal(before)
          expect(settingOf(shop, 'star', jid(), id)).to.equal(undefined)
        })
    })

    describe('pins', () => {
      shows('POST /message/pin', 'are shown by the other side for their duration', async () => {
        const chat = shop.account.lid
        for (const [Duration, days] of [
          ['24h', 1],
          [undefined, 7],
          ['30d', 30],
        ] as const) {
          const id = await said(`pin for ${days}`)
          const { Id } = await does('/message/pin', { Id: id, ...(Duration ? { Duration } : {}) })
          const pin = await ana.wait((message) => message.id === Id)
          expect(pin.attrs['edit']).to.equal('2')
          expect(pin.raw.pinInChatMessage?.key).to.include({ id, fromMe: false })
          expect(pinned(ana, chat, id)).to.equal(pin.timestamp + days * DAY)
        }
        const { body } = await probe.event('Message', ({ Message }) =>
          JSON.stringify(Message).includes('pinInChatMessage'),
        )
        expect(body['message']).to.include({ type: 'pin', isFromMe: true })
      })

      shows('POST /message/unpin', 'are taken back, in groups too', async () => {
        const id = await said('notice', group)
        await does('/message/pin', { Phone: group, Id: id })
        await eventually(() => pinned(ana, group, id), 'pinned')
        const { Id } = await does('/message/unpin', { Phone: group, Id: id })
        const { raw } = await ana.wait((message) => message.id === Id)
        expect(raw.pinInChatMessage?.key).to.include({ participant: ana.account.lid, id })
        expect(pinned(ana, group, id)).to.equal(undefined)
      })

      for (const path of ['/message/pin', '/message/unpin'] as const)
        refuses(`POST ${path}`, 'unknown messages, and other durations', () =>
          isSilent(async (Id) => {
            const to = { Phone: ana.account.phone }
            expect((await session.post(path, { ...to, Id: 'NOWHERE' })).errorCode).to.equal('MESSAGE_UNKNOWN')
            const news = { Phone: '120363171234567890@newsletter', Id: 'NOWHERE' }
            expect((await session.post(path, news)).error).to.match(/^Invalid Phone: /)
            if (path === '/message/unpin') return
            for (const Duration of ['1h', '90d', '86400']) {
              const { status, error } = await session.post(path, { ...to, Id, Duration })
              expect({ status, error }).to.deep.equal({
                status: 400,
                error: 'Invalid Duration: must be one of 24h, 7d, 30d',
              })
            }
          }),
        )
    })

    describe('kept messages', () => {
      const setTimer = async (Seconds: number): Promise<void> => {
        await ana.act({ Action: 'setTimer', Chat: shop.account.phone, Data: { Seconds } })
        await probe.event('DisappearingTimer', ({ Timer }) => Timer === Seconds)
      }
      shows('POST /message/keep', 'stay on the other phone, until it is undone', async () => {
        await setTimer(DAY)
        const [theirs, own] = [await said('keep me'), await sent('and me')]
        await sent('not me')
        for (const Id of [theirs, own]) {
          const { Id: keeper } = await does('/message/keep', { Id })
          const { raw } = await ana.wait((message) => message.id === keeper)
          expect(raw.keepInChatMessage).to.deep.nested.include({ 'key.id': Id, 'key.fromMe': Id === own })
        }
        const kept = await probe.event('KeepInChat', ({ MessageID }) => MessageID === own)
        expect(kept.body['event']).to.include({ Keep: true, IsFromMe: true })
        world.fault({ Fault: 'clock', Ms: 2 * DAY * 1000 })
        const left = ana.messages().map(({ id }) => id)
        expect(left).to.include(theirs).and.include(own)
        expect(JSON.stringify(ana.messages().map(({ message }) => message))).not.to.include('not me')
        const { Id: undone } = await does('/message/keep', { Id: own, Keep: false })
        const undo = await ana.wait((message) => message.id === undone)
        expect(undo.attrs['edit']).to.equal('7')
        await eventually(() => !ana.messages().some(({ id }) => id === own), 'gone')
        expect(ana.messages().some(({ id }) => id === theirs)).to.equal(true)
        world.fault({ Fault: 'clock', Ms: 0 })
      })

      refuses('POST /message/keep', 'messages that do not disappear, and unknown ones', async () => {
        await setTimer(0)
        await isSilent(async (id) => {
          const keep = (Id: string) => session.post('/message/keep', { Phone: ana.account.phone, Id })
          expect(await keep(id)).to.include({ status: 400, error: 'Invalid Id: does not disappear' })
          expect(await keep('NOWHERE')).to.include({ status: 404, errorCode: 'MESSAGE_UNKNOWN' })
        })
      })
    })
  })
