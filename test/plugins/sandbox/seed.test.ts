import { expect } from 'chai'
import { RECEIVED_SAMPLES } from '../../../plugins/messaging/samples.ts'
import type { Seeded } from '../../../plugins/sandbox/seed/seed.ts'
import { temporaryFolder } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { admin, startWorld, type World } from '../../support/world.ts'

const SENT = '3EB0F4A1C2D3E4F5A6B7C8'
const RECEIVED = '3A1B2C3D4E5F60718293'
/** Ana's poll and event, a message of hers that disappears, and an event of the session. */
const [POLL, EVENT, FLEETING] = ['3A1B2C3D4E5F60718298', '3A1B2C3D4E5F60718299', '3A1B2C3D4E5F6071829A']
const OWN_EVENT = '3EB0F4A1C2D3E4F5A6B7C9'
/** Ana's invitation to a group. */
const INVITATION = '3A1B2C3D4E5F6071829B'
/** Status posts of Ana and of the session. */
const [POST, OWN_POST] = ['3A1B2C3D4E5F60718260', '3EB0F4A1C2D3E4F5A6B7D0']
const TEAM = '120363041234567890@g.us'

describe('the network that `wamux sandbox` begins with', () => {
  const seedOf = ({ gateway }: World): Promise<Seeded | undefined> => gateway.service('sandbox').seed()
  const sessionsOf = async ({ gateway }: World) =>
    (await gateway.get('/session/all', admin)).data as { Name: string; Token: string; State: string }[]
  const textsOf = ({ ana }: Seeded): unknown[] =>
    ana.messages().map(({ id, fromMe }) => `${fromMe ? 'out' : 'in'} ${id}`)

  describe('once it is filled', () => {
    let world: World
    let seeded: Seeded
    let token: { token: string }
    const post = async (path: string, body: object) => {
      const { status, data, error } = await world.gateway.post(path, body, token)
      expect(status, error).to.equal(200)
      return data
    }
    before(async () => {
      world = await startWorld()
      seeded = (await seedOf(world)) as Seeded
      token = { token: seeded.token }
    })
    after(() => world.stop())

    it('has a session that is linked to the phone of the shop, and saved contacts', async () => {
      const { data } = await world.gateway.get('/session/status', token)
      expect(data).to.include({ Name: 'demo', LoggedIn: true, Jid: '5511955555555@s.whatsapp.net' })
      const saved = await eventually(async () => {
        const { data: contacts } = await world.gateway.get('/user/contacts', token)
        const names = Object.values(contacts as Record<string, { FullName: string }>).map(
          ({ FullName }) => FullName,
        )
        return names.length >= 2 && names
      }, 'the contacts')
      expect(saved).to.include.members(['Ana', 'Bruno'])
    })

    it('has a conversation: a text and a file of each kind from Ana, and the answer on her phone', async () => {
      await seeded.ana.wait(({ id, fromMe }) => id === SENT && !fromMe)
      // The event of a sent message is logged a moment after its answer.
      const ids = await eventually(async () => {
        const { data } = await world.gateway.get('/events?class=Message&limit=50', token)
        const ids = data.Events.map(({ event }: { event: { Info: { ID: string } } }) => event.Info.ID)
        return ids.includes(OWN_EVENT) && ids.includes(OWN_POST) && ids
      }, 'the event of the answer')
      const others = [RECEIVED, SENT, POLL, EVENT, FLEETING, OWN_EVENT, INVITATION, POST, OWN_POST]
      expect(ids).to.include.members(others)
      expect(ids).to.have.length(Object.keys(RECEIVED_SAMPLES).length + others.length)
      for (const [kind, { path, mediaKey, encSha256, sha256, mimetype, file }] of Object.entries(
        RECEIVED_SAMPLES,
      )) {
        const { Data } = await post(`/message/download${kind}`, {
          Url: `https://mmg.whatsapp.net${path}`,
          MediaKey: mediaKey,
          FileEncSHA256: encSha256,
          FileSHA256: sha256,
          Mimetype: mimetype,
        })
        expect(Data.split(',')[1], kind).to.equal(file.split(',')[1])
      }
    })

    it('has groups, a community, an invite, a newsletter with posts, a catalogue and an order', async () => {
      const { Groups } = (await world.gateway.get('/group/list', token)).data
      const names = Groups.map(({ Name }: { Name: string }) => Name)
      expect(names).to.include.members(['Team', 'Street', 'Summer fair', 'Village']).and.not.include('Choir')
      expect((await post('/group/info', { GroupJID: TEAM })).Participants).to.have.length(3)
      expect((await post('/group/join', { Code: 'HfKQ5PmU3DmBDJvL0XzWrC' })).GroupJID).to.match(/@g\.us$/)
      const posts = await post('/newsletter/messages', { JID: '120363171234567890@newsletter' })
      expect(posts.Messages).to.have.length(2)
      const products = await post('/business/catalog/list', {})
      expect(JSON.stringify(products)).to.include('7042371865887654').and.include('6912345678901234')
      const order = await post('/business/order/details', {
        orderId: '1234567890123456',
        token: 'AR5vZW1hOUxMUjU2',
      })
      expect(JSON.stringify(order)).to.include('Bread')
    })

    it('has a web server under a name that no resolver knows', async () => {
      await post('/webhook', { WebhookURL: 'https://shop.example/hook', Subscribe: ['Message'] })
      expect(await post('/webhook/test', {})).to.include({ Delivered: true })
      const { Id } = await post('/send/mediaurl', {
        Jid: '5511999999999',
        Url: 'https://shop.example/picture.png',
        Type: 'image',
        Caption: '',
        Filename: '',
      })
      const { media } = await seeded.ana.wait(({ id }) => id === Id)
      expect(media).to.include({ mimetype: 'image/png' })
      for (const host of ['https://other.example', 'http://shop.example']) {
        const { error } = await world.gateway.post('/user/profile', { Image: `${host}/picture.png` }, token)
        expect(error, host).to.include('does not resolve')
      }
    })

    it('is filled once', async () => {
      const texts = textsOf(seeded)
      expect(await seedOf(world)).to.include({ name: 'demo', token: seeded.token })
      expect(textsOf(seeded)).to.deep.equal(texts)
      expect(await sessionsOf(world)).to.have.length(1)
    })
  })

  it('is left to those who have filled it themselves', async () => {
    const world = await startWorld()
    try {
      const phone = await world.phone('Mine')
      expect(await seedOf(world)).to.equal(undefined)
      const phones = world.gateway.service('sandbox').phones.all()
      expect(phones.map(({ account }) => account.phone)).to.deep.equal([phone.account.phone])
      expect(await sessionsOf(world)).to.deep.equal([])
    } finally {
      await world.stop()
    }
  })

  for (const keep of [false, true]) {
    it(`has one session after a restart, with its token, ${keep ? 'kept' : 'in memory'}`, async () => {
      const dataDir = temporaryFolder()
      const options = { dataDir, config: { sandbox: { keep } } }
      const first = await startWorld(options)
      const before = (await seedOf(first)) as Seeded
      await before.ana.wait(({ id }) => id === SENT)
      const texts = textsOf(before)
      await first.stop()
      const second = await startWorld(options)
      try {
        const after = (await seedOf(second)) as Seeded
        expect(after.token).to.equal(before.token)
        const sessions = await eventually(async () => {
          const all = await sessionsOf(second)
          return all.every(({ State }) => State === 'open') && all
        }, 'the session is open')
        expect(sessions.map(({ Name }) => Name)).to.deep.equal(['demo'])
        // A kept network has its messages as they were; in a new one they are written again.
        if (keep) expect(textsOf(after)).to.deep.equal(texts)
        else expect(textsOf(after)).to.include(`out ${RECEIVED}`)
        const token = { token: after.token }
        const { status } = await second.gateway.post(
          '/send/text',
          { Phone: '5511999999999', Body: 'again' },
          token,
        )
        expect(status).to.equal(200)
      } finally {
        await second.stop()
      }
    })
  }

  it('is completed where an earlier start has ended in the midst of it', async () => {
    const world = await startWorld({ dataDir: temporaryFolder(), config: { sandbox: { keep: true } } })
    try {
      const { network, phones } = world.gateway.service('sandbox')
      network.snapshots.slot('seed', () => ({ step: 'begun' }))
      await phones.create({ phone: '5511999999999', name: 'Ana' })
      const { ana } = (await seedOf(world)) as Seeded
      await ana.wait(({ id }) => id === SENT)
      expect(phones.all().map(({ account }) => account.name)).to.have.members(['Shop', 'Ana', 'Bruno'])
    } finally {
      await world.stop()
    }
  })

  it('stays without its session where the owner of a kept network has deleted it', async () => {
    const options = { dataDir: temporaryFolder(), config: { sandbox: { keep: true } } }
    const first = await startWorld(options)
    const { token } = (await seedOf(first)) as Seeded
    expect((await first.gateway.post('/session/delete', { Token: token }, admin)).status).to.equal(200)
    await first.stop()
    const second = await startWorld(options)
    try {
      expect(await seedOf(second)).to.equal(undefined)
      expect(await sessionsOf(second)).to.deep.equal([])
    } finally {
      await second.stop()
    }
  })
})
