import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { everyEngine } from '../../support/databases.ts'
import { type Events, eventsOf } from '../../support/events/events.ts'
import { eventually } from '../../support/eventually.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { voice } from '../../support/samples.ts'
import { admin, type LinkedSession, openShop, type World } from '../../support/world.ts'

for (const engine of everyEngine)
  describe(`lists of status posts (${engine.name})`, () => {
    let world: World
    let session: LinkedSession
    let ana: Phone
    let bea: Phone
    let told: Events
    before(async () => {
      ;({ world, session, ana } = await openShop(engine.fresh()))
      bea = await world.phone('Bea')
      told = await eventsOf(session)
    })
    after(async () => {
      await told.close()
      await world.stop()
    })

    const mine = () => session.phone.account.phone
    const both = () => ({ StatusJidList: [ana.account.phone, bea.account.phone] })
    const post = async (Text: string, body: object = both()): Promise<string> => {
      const { data, error } = await session.post('/status/text', { Text, ...body })
      expect(data, error).to.include({ Details: 'Sent' })
      await told.wait('Message', ({ Info }) => Info.ID === data.Id)
      return data.Id
    }
    const posted = async (phone: Phone, Text: string): Promise<string> => {
      const { Id } = await phone.act({ Action: 'postStatus', Text, Participants: [mine()] })
      await told.wait('Message', ({ Info }) => Info.ID === Id)
      return String(Id)
    }
    const received = async (query = '') =>
      (await session.get(`/status/received${query}`)).data.Posts as Record<string, unknown>[]
    const shownOn = (phone: Phone, id: string) =>
      phone.display.page('status@broadcast', Number.MAX_SAFE_INTEGER, 50).find(({ ID }) => ID === id)
    const refuseOnce = (Code: number) => world.fault({ Phone: mine(), Fault: 'refuse', Code, Count: 1 })

    shows('POST /status/audio', 'posts a voice message with its background', async () => {
      const { data, error } = await session.post('/status/audio', {
        Audio: voice(1),
        BackgroundColor: 0xff075e54,
        ...both(),
      })
      expect(data, error).to.include({ Details: 'Sent' })
      const { message } = await ana.wait(({ id }) => id === data.Id)
      expect(message['audioMessage']).to.include({ ptt: true, backgroundArgb: 0xff075e54 })
      await session.phone.wait(({ id }) => id === data.Id)
    })

    refuses('POST /status/audio', 'what is no audio, and what the network refuses', async () => {
      const posts = async () => (await world.gateway.get('/sandbox/network', admin)).data.Statuses.length
      const before = await posts()
      expect(await session.post('/status/audio', { Audio: 'aGVsbG8=', ...both() })).to.include({
        status: 415,
      })
      refuseOnce(463)
      expect(await session.post('/status/audio', { Audio: voice(1), ...both() })).to.include({ status: 403 })
      expect(await posts()).to.equal(before)
    })

    it('a post may leave some contacts out', async () => {
      for (const { account } of [ana, bea]) {
        await session.phone.act({ Action: 'contact', Chat: account.phone, Text: account.name })
        await told.wait('Contact', ({ JID }) => JID === account.jid)
      }
      const id = await post('not for Bea', { ExceptJidList: [bea.account.phone] })
      await ana.wait((one) => one.id === id)
      const { data } = await world.gateway.get('/sandbox/network', admin)
      const { Setting, To } = data.Statuses.find(({ Id }: { Id: string }) => Id === id)
      expect([Setting, ...To.sort()]).to.deep.equal(['denylist', ...[ana.account.phone, mine()].sort()])
      const twice = await session.post('/status/text', { Text: 'x', ExceptJidList: [mine()], ...both() })
      expect(twice).to.include({ status: 400 })
      expect(twice.error).to.match(/^Invalid ExceptJidList/)
    })

    shows(
      ['GET /status/posted', 'GET /status/posted/:id'],
      'tell to whom a post was sent and who has seen it',
      async () => {
        const id = await post('who looks?')
        await ana.wait((one) => one.id === id)
        await ana.act({ Action: 'read', Chat: 'status@broadcast', Id: id })
        await told.wait('ReadReceipt', ({ MessageIDs, Type }) => MessageIDs.includes(id) && Type === 'read')
        const list = (await session.get('/status/posted')).data.Posts
        expect(list.find(({ Id }: { Id: string }) => Id === id)).to.include({
          Id: id,
          Type: 'text',
          Text: 'who looks?',
          Recipients: 2,
          Views: 1,
        })
        const { data } = await session.get(`/status/posted/${id}`)
        expect(data).to.include({ Id: id, Recipients: 2 })
        expect(data.Audience).to.have.length(2)
        expect(data.Viewers).to.have.length(1)
        expect(data.Viewers[0]).to.include({ JID: ana.account.lid, Phone: ana.account.phone })
      },
    )

    refuses(
      ['GET /status/posted', 'GET /status/posted/:id'],
      'other sessions, and an unknown post',
      async () => {
        expect(await session.get('/status/posted/NOSUCH')).to.include({ status: 404 })
        const { status } = await world.gateway.get('/status/posted', { token: 'of-nobody' })
        expect(status).to.equal(401)
      },
    )

    it('GET /status/posted has the posts of the phone', async () => {
      const { Id } = await session.phone.act({
        Action: 'postStatus',
        Text: 'from my pocket',
        Participants: [ana.account.phone],
      })
      await told.wait('Message', ({ Info }) => Info.ID === Id)
      const { Posts } = (await session.get('/status/posted')).data
      expect(Posts.find((one: { Id: string }) => one.Id === Id)).to.include({
        Id,
        Text: 'from my pocket',
        Recipients: 0,
      })
    })

    shows('POST /status/delete', 'deletes a post for all to whom it was sent', async () => {
      const id = await post('a mistake')
      await bea.wait((one) => one.id === id)
      expect(shownOn(bea, id)).to.include({ Revoked: false })
      const { data, error } = await session.post('/status/delete', { Id: id })
      expect(data, error).to.include({ Details: 'Deleted', Id: id })
      for (const phone of [ana, bea, session.phone])
        await eventually(() => shownOn(phone, id)?.Revoked === true, `revoked for ${phone.account.name}`)
      await eventually(async () => {
        const { data: left } = await session.get('/status/posted')
        return left.Posts.every(({ Id }: { Id: string }) => Id !== id)
      }, 'gone from the list')
    })

    refuses('POST /status/delete', 'an unknown post, and what the network refuses', async () => {
      const id = await post('stays')
      await bea.wait((one) => one.id === id)
      expect(await session.post('/status/delete', { Id: 'NOSUCH' })).to.include({ status: 404 })
      refuseOnce(403)
      expect(await session.post('/status/delete', { Id: id })).to.include({ status: 403 })
      expect(shownOn(bea, id)).to.include({ Revoked: false })
    })

    shows('GET /status/received', 'lists the posts of others, without deleted ones', async () => {
      const first = await posted(ana, 'good morning')
      const second = await posted(bea, 'sold out')
      const [newest, older] = await received()
      expect(newest).to.include({
        Id: second,
        Phone: bea.account.phone,
        Name: 'Bea',
        Text: 'sold out',
        Seen: false,
      })
      expect(older).to.include({ Id: first, Text: 'good morning', Type: 'text' })
      expect(older?.['Message']).to.have.nested.property('extendedTextMessage.text', 'good morning')
      expect((await received('?limit=1')).map(({ Id }) => Id)).to.deep.equal([second])
      expect((await received(`?from=${ana.account.phone}`)).map(({ Id }) => Id)).to.deep.equal([first])
      const { Id: revocation } = await bea.act({ Action: 'revokeStatus', Id: second, Participants: [mine()] })
      await told.wait('Message', ({ Info }) => Info.ID === revocation)
      expect((await received()).map(({ Id }) => Id)).to.deep.equal([first])
    })

    refuses('GET /status/received', 'a page that is too long, and an author who is none', async () => {
      expect(await session.get('/status/received?limit=100000')).to.include({ status: 400 })
      expect(await session.get('/status/received?from=nobody')).to.include({ status: 400 })
    })

    shows('POST /status/read', 'tells the author that a post was seen', async () => {
      const id = await posted(bea, 'look at this')
      const { data, error } = await session.post('/status/read', { Id: [id, 'UNKNOWN'] })
      expect(data, error).to.deep.equal({
        Details: 'Status seen',
        Skipped: [{ Id: 'UNKNOWN', Reason: 'not stored here; name its Sender' }],
      })
      await eventually(() => bea.receipts.some((one) => one.id === id && one.type === 'read'), 'seen')
      await eventually(async () => (await received())[0]?.['Seen'] === true, 'listed as seen')
    })

    refuses('POST /status/read', 'posts that are all unknown', async () => {
      const before = bea.receipts.length
      expect((await session.post('/status/read', { Id: ['UNKNOWN'] })).status).to.be.oneOf([400, 404])
      expect(bea.receipts.length).to.equal(before)
    })

    const muted = (phone: Phone) =>
      (
        session.phone.view()['Settings'] as {
          Index: string[]
          Action: Record<string, { muted?: boolean }>
        }[]
      ).find(({ Index }) => Index[0] === 'userStatusMute' && Index[1] === phone.account.lid)?.Action[
        'userStatusMuteAction'
      ]?.muted

    shows(
      ['POST /status/mute', 'POST /status/unmute'],
      'change the setting on the phone, and raise an event',
      async () => {
        await session.post('/status/mute', { Phone: ana.account.phone })
        await eventually(() => muted(ana) === true, 'muted')
        const { event } = await told.wait('UserStatusMute')
        expect(event).to.deep.include({
          JID: ana.account.lid,
          JIDAlt: ana.account.jid,
          Action: { muted: true },
        })
        await session.post('/status/unmute', { Phone: ana.account.phone })
        await eventually(() => !muted(ana), 'unmuted')
        await session.phone.act({ Action: 'muteStatus', Chat: bea.account.phone })
        const { event: byPhone } = await told.wait('UserStatusMute', ({ JID }) => JID === bea.account.lid)
        expect(byPhone).to.deep.include({ Action: { muted: true } })
      },
    )

    refuses(['POST /status/mute', 'POST /status/unmute'], 'what the network refuses', async () => {
      for (const [path, phone] of [
        ['/status/mute', ana],
        ['/status/unmute', bea],
      ] as const) {
        const before = muted(phone)
        world.fault({ Phone: mine(), Fault: 'refuseSettings', Code: 403, Count: 1 })
        expect(await session.post(path, { Phone: phone.account.phone })).to.include({ status: 403 })
        expect(muted(phone)).to.equal(before)
      }
    })
  })
