import { randomBytes } from 'node:crypto'
import { get } from 'node:https'
import { expect } from 'chai'
import sharp from 'sharp'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../support/eventually.ts'
import { picture } from '../../support/picture.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { startReceiver } from '../../support/servers/receiver.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'

describe('the account itself', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  before(async () => {
    ;({ world, session, ana } = await openShop())
  })
  after(() => world.stop())

  const fault = (order: object) => world.fault({ Phone: session.phone.account.phone, ...order })
  const refuseOnce = (Xmlns: string, Code: number) => fault({ Fault: 'refuseQuery', Xmlns, Code })
  const blocked = () => session.phone.view()['Blocked']

  shows('GET /user/privacy', 'returns the settings of the phone', async () => {
    await session.phone.act({
      Action: 'setPrivacy',
      Data: { last: 'none', groupadd: 'contacts', online: 'match_last_seen' },
    })
    const { data } = await session.get('/user/privacy')
    expect(data).to.deep.equal({
      GroupAdd: 'contacts',
      LastSeen: 'none',
      Status: 'contacts',
      Profile: 'all',
      ReadReceipts: 'all',
      CallAdd: 'all',
      Online: 'match_last_seen',
      Messages: '',
      Defense: '',
      Stickers: '',
    })
    await session.phone.act({ Action: 'setPrivacy', Data: { last: 'all', online: 'all' } })
    expect((await session.get('/user/privacy')).data).to.include({ LastSeen: 'all', Online: 'all' })
  })

  refuses('GET /user/privacy', 'if the network refuses', async () => {
    refuseOnce('privacy', 429)
    expect(await session.get('/user/privacy')).to.include({ status: 429 })
  })

  shows('POST /user/block', 'blocks a person, whose messages are no longer delivered', async () => {
    const { data } = await session.post('/user/block', { Phone: ana.account.phone })
    expect(data).to.deep.equal({ DHash: '1', JIDs: [ana.account.jid] })
    expect(blocked()).to.deep.equal([ana.account.lid])
    const id = await ana.send(session.phone.account.phone, { Text: 'hello?' })
    // Stanzas keep their order: what came before this message is there when it is.
    await (await world.phone('Caio')).send(session.phone.account.phone, { Text: 'not blocked' })
    await session.phone.wait(({ raw }) => raw.conversation === 'not blocked')
    expect(session.phone.messages().some((message) => message.id === id)).to.equal(false)
    expect(ana.receipts.some((receipt) => receipt.id === id)).to.equal(false)
  })

  shows('GET /user/blocklist', 'lists people blocked on the phone too', async () => {
    const bea = await world.phone('Bea')
    await session.phone.act({ Action: 'block', Chat: bea.account.phone })
    await session.post('/user/check', { Phone: bea.account.phone })
    const { data } = await session.get('/user/blocklist')
    expect(data).to.deep.include({ DHash: '2' })
    expect(data.JIDs).to.include(ana.account.jid).and.have.length(2)
    await session.phone.act({ Action: 'unblock', Chat: bea.account.phone })
  })

  shows('POST /user/unblock', 'unblocks a person, whose messages are delivered again', async () => {
    const { data } = await session.post('/user/unblock', { Phone: ana.account.lid })
    expect(data).to.deep.equal({ DHash: '0', JIDs: [] })
    expect(blocked()).to.deep.equal([])
    const id = await ana.send(session.phone.account.phone, { Text: 'hello again' })
    await session.phone.wait((message) => message.id === id)
  })

  refuses('POST /user/block', 'unknown numbers, and changes that the network refuses', async () => {
    expect(await session.post('/user/block', { Phone: '5511900000000' })).to.include({ status: 404 })
    expect(await session.post('/user/block', {})).to.include({
      status: 400,
      error: 'Missing Phone in Payload',
    })
    refuseOnce('blocklist', 403)
    expect(await session.post('/user/block', { Phone: ana.account.phone })).to.include({ status: 403 })
    expect(blocked()).to.deep.equal([])
  })

  refuses('POST /user/unblock', 'changes that the network refuses', async () => {
    await session.post('/user/block', { Phone: ana.account.phone })
    refuseOnce('blocklist', 403)
    expect(await session.post('/user/unblock', { Phone: ana.account.phone })).to.include({ status: 403 })
    expect(blocked()).to.deep.equal([ana.account.lid])
    await session.post('/user/unblock', { Phone: ana.account.phone })
  })

  refuses('GET /user/blocklist', 'if the network refuses', async () => {
    refuseOnce('blocklist', 429)
    expect(await session.get('/user/blocklist')).to.include({ status: 429 })
  })

  shows('POST /user/profile', 'sets the picture, cropped to a square', async () => {
    const wide = await sharp({ create: { width: 900, height: 300, channels: 3, background: '#29a' } })
      .png()
      .toBuffer()
    const { data } = await session.post('/user/profile', {
      Image: `data:image/png;base64,${wide.toString('base64')}`,
    })
    expect(data.Details).to.equal('Profile picture set successfully')
    expect(session.phone.view()['Picture']).to.equal(data.PictureID)
    const { data: avatar } = await session.get('/user/avatar')
    const { width, height, format } = await sharp(await download(avatar.URL)).metadata()
    expect({ width, height, format }).to.deep.equal({ width: 640, height: 640, format: 'jpeg' })
  })

  refuses('POST /user/profile', 'pictures that are too large for the network, and invalid ones', async () => {
    const { Picture } = session.phone.view()
    const noise = await sharp(randomBytes(640 * 640 * 3), { raw: { width: 640, height: 640, channels: 3 } })
      .png()
      .toBuffer()
    const large = await session.post('/user/profile', { Image: noise.toString('base64') })
    expect(large).to.include({ status: 502, error: 'Failed to set the picture: not-acceptable (406)' })
    expect(await session.post('/user/profile', { Image: 'aGVsbG8=' })).to.include({ status: 415 })
    expect(session.phone.view()['Picture']).to.equal(Picture)
  })

  shows('POST /user/presence', 'sets the account online and offline', async () => {
    // A person is online as long as any device is.
    await session.phone.act({ Action: 'offline' })
    // The name comes with the phone's settings, a moment after the link.
    const goAway = () => session.post('/user/presence', { Presence: 'unavailable' })
    await eventually(async () => (await goAway()).success, 'shown as unavailable')
    await ana.act({ Action: 'subscribe', Chat: session.phone.account.phone })
    const seen = async (type: string): Promise<Record<string, string>> => {
      const last = () => ana.presences.filter(({ tag }) => tag === 'presence').at(-1)?.attrs ?? {}
      await eventually(() => last()['type'] === type, `seen as ${type}`)
      return last()
    }
    await seen('unavailable')
    expect(await session.post('/user/presence', { Presence: 'available' })).to.include({ status: 200 })
    expect(await seen('available')).to.include({ from: session.phone.account.lid })
    await session.phone.act({ Action: 'setPrivacy', Data: { last: 'contacts' } })
    expect(await session.post('/user/presence', { type: 'unavailable' })).to.include({ status: 200 })
    expect(await seen('unavailable')).to.include({ last: 'deny' })
  })

  refuses('POST /user/presence', 'any other value', async () => {
    const available = () =>
      (session.phone.view()['Companions'] as { Available: boolean }[]).map(({ Available }) => Available)
    const before = available()
    const answer = await session.post('/user/presence', { Presence: 'dancing' })
    expect(answer).to.include({
      status: 400,
      error: "Invalid presence type. Allowed values: 'available', 'unavailable'",
    })
    expect(await session.post('/user/presence', {})).to.include({ error: 'Missing Presence in Payload' })
    expect(available()).to.deep.equal(before)
  })

  shows(
    'GET /user/limits',
    'reports a restriction under which only existing chats are possible',
    async () => {
      expect((await session.get('/user/limits')).data.ReachoutTimelock).to.deep.equal({
        IsActive: false,
        EnforcementType: 'DEFAULT',
        TimeEnforcementEnds: null,
      })
      const receiver = await startReceiver()
      await session.post('/webhook', { WebhookURL: receiver.url })
      const told = async (isActive: boolean) =>
        receiver.wait(
          ({ body }) => body.includes('ReachoutTimelock') && body.includes(`"IsActive":${isActive}`),
        )
      fault({ Fault: 'timelock', Ms: 3_600_000 })
      await told(true)
      const { data } = await session.get('/user/limits')
      expect(data.ReachoutTimelock.IsActive).to.equal(true)
      expect(Date.parse(data.ReachoutTimelock.TimeEnforcementEnds)).to.be.greaterThan(Date.now())

      const stranger = await world.phone('Stranger')
      const refused = await session.post('/send/text', { Phone: stranger.account.phone, Body: 'buy' })
      expect(refused).to.include({ status: 403, success: false })
      expect(refused.error).to.include('463')
      const known = await session.post('/send/text', { Phone: ana.account.phone, Body: 'as before' })
      expect(known).to.include({ status: 200 })
      await ana.wait(({ id }) => id === known.data.Id)
      expect(stranger.messages()).to.be.empty
      fault({ Fault: 'clear' })
      await told(false)
      await session.post('/webhook', { WebhookURL: '' })
      await receiver.close()
    },
  )

  it('GET /user/limits counts new chats', async () => {
    fault({ Fault: 'messageCap', Count: 1 })
    const [first, second] = [await world.phone('First'), await world.phone('Second')]
    expect(await session.post('/send/text', { Phone: first.account.phone, Body: 'x' })).to.include({
      status: 200,
    })
    expect(await session.post('/send/text', { Phone: second.account.phone, Body: 'x' })).to.include({
      status: 403,
    })
    const { data } = await session.get('/user/limits')
    expect(data.MessageCap).to.include({ TotalQuota: 1, UsedQuota: 1, CappingStatus: 'CAPPED' })
    expect(data.MessageCap.CycleEndTimestamp).to.match(/^\d{4}-\d\d-\d\dT/)
    fault({ Fault: 'clear' })
  })

  refuses(
    'GET /user/limits',
    'if the network refuses both queries; a single refused one is null',
    async () => {
      fault({ Fault: 'refuseQuery', Xmlns: 'w:mex', Code: 403, Count: 2 })
      expect(await session.get('/user/limits')).to.include({ status: 403 })
      fault({ Fault: 'refuseQuery', Xmlns: 'w:mex', Code: 403, Count: 1 })
      const { data } = await session.get('/user/limits')
      expect(data.MessageCap).to.equal(null)
      expect(data.ReachoutTimelock).to.include({ IsActive: false })
    },
  )

  it('has no limits from an answer with an error beside its data', async () => {
    fault({ Fault: 'mexError', Code: 429, Count: 2 })
    expect(await session.get('/user/limits')).to.include({ status: 429 })
    fault({ Fault: 'mexError', Code: 418, Count: 2 })
    expect((await session.get('/user/limits')).error).to.equal('Failed to read the limits: refused (418)')
    expect((await session.get('/user/limits')).data.MessageCap).to.be.an('object')
  })

  it('is not announced while its name is unknown', async () => {
    const { announce } = await import('../../../plugins/users/announce.ts')
    const creds = { me: { id: '1@s.whatsapp.net' } }
    const nameless = { wa: { authState: { creds } } } as unknown as Parameters<typeof announce>[0]
    const error = await announce(nameless, 'available').catch((reason: unknown) => reason)
    expect(error).to.include({ code: 'SETTINGS_NOT_READY' })
  })

  it('replaces the picture', async () => {
    const Image = await picture(200)
    const [one, two] = [
      await session.post('/user/profile', { Image }),
      await session.post('/user/profile', { Image }),
    ]
    expect(one.data.PictureID).not.to.equal(two.data.PictureID)
    expect(session.phone.view()['Picture']).to.equal(two.data.PictureID)
  })

  /** From the network's media host, whose certificate is of the network's own authority. */
  function download(url: string): Promise<Buffer> {
    const { ca } = world.gateway.service('sandbox').network
    return new Promise((resolve, reject) => {
      get(url, { ca, agent: false }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => resolve(Buffer.concat(chunks)))
      }).on('error', reject)
    })
  }
})
