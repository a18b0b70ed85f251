import { request } from 'node:http'
import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import type { Answer } from '../../support/calls.ts'
import { eventually } from '../../support/eventually.ts'
import { picture } from '../../support/picture.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'

describe('user lookup', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  let shop: Phone
  let receiver: Receiver
  before(async () => {
    world = await startWorld()
    session = await world.linked(await world.phone('Me'))
    ana = await world.phone('Ana')
    const { phones } = world.gateway.service('sandbox')
    shop = await phones.create({ name: 'Padaria Sol', business: true })
    await ana.act({ Action: 'addContact', Chat: session.phone.account.phone })
    await ana.act({ Action: 'setAbout', Text: 'só texto' })
    await ana.act({ Action: 'setPicture', Data: { Image: await picture(10) } })
    receiver = await startReceiver()
    await session.post('/webhook', { WebhookURL: receiver.url })
  })
  after(async () => {
    await receiver.close()
    await world.stop()
  })

  const NOBODY = '5511900000000'
  const pictureOf = (phone: Phone) => phone.view()['Picture']
  const limited = (Xmlns: string, Code: number) =>
    world.fault({ Phone: session.phone.account.phone, Fault: 'refuseQuery', Xmlns, Code })
  const privacy = (settings: object) =>
    ana.act({ Action: 'setPrivacy', Data: settings as Record<string, unknown> })

  shows('POST /user/info', 'returns the public profile of each person', async () => {
    const linked = await world.linked(ana)
    const { jid, lid } = ana.account
    const { data } = await session.post('/user/info', {
      Phone: [ana.account.phone, shop.account.jid, lid, NOBODY],
    })
    expect(Object.keys(data.Users)).to.deep.equal([jid, shop.account.jid, lid, `${NOBODY}@s.whatsapp.net`])
    const { user = '' } = /^(?<user>\d+)/.exec(jid)?.groups ?? {}
    expect(data.Users[jid]).to.deep.equal({
      VerifiedName: '',
      Status: 'só texto',
      PictureID: pictureOf(ana),
      Devices: [jid, `${user}:1@s.whatsapp.net`],
      LID: lid,
    })
    expect(data.Users[lid]).to.include({ LID: lid, Status: 'só texto' })
    expect(data.Users[shop.account.jid]).to.include({ VerifiedName: 'Padaria Sol', PictureID: '' })
    expect(data.Users[`${NOBODY}@s.whatsapp.net`]).to.deep.include({ Devices: [], LID: '' })
    await linked.post('/session/logout')
  })

  it('POST /user/info omits hidden fields', async () => {
    await privacy({ status: 'none', profile: 'none' })
    const { data } = await session.post('/user/info', { Phone: ana.account.phone })
    expect(data.Users[ana.account.jid]).to.include({ Status: '', PictureID: '' })
    await privacy({ status: 'contacts', profile: 'all' })
  })

  refuses('POST /user/info', 'if the network refuses', async () => {
    limited('usync', 429)
    expect(await session.post('/user/info', { Phone: [ana.account.phone] })).to.include({
      status: 429,
      error: 'Rate limited by WhatsApp',
    })
    expect(await session.post('/user/info', {})).to.include({
      status: 400,
      error: 'Missing Phone in Payload',
    })
  })

  shows('POST /user/check', 'returns each number in order, as given', async () => {
    const numbers = [NOBODY, `+${ana.account.phone}`, shop.account.jid]
    const { data } = await session.post('/user/check', { Phone: numbers })
    expect(data.Users).to.deep.equal([
      { Query: NOBODY, IsInWhatsapp: false, JID: `${NOBODY}@s.whatsapp.net`, LID: '', VerifiedName: '' },
      {
        Query: numbers[1],
        IsInWhatsapp: true,
        JID: ana.account.jid,
        LID: ana.account.lid,
        VerifiedName: '',
      },
      {
        Query: numbers[2],
        IsInWhatsapp: true,
        JID: shop.account.jid,
        LID: shop.account.lid,
        VerifiedName: 'Padaria Sol',
      },
    ])
  })

  refuses('POST /user/check', 'if the network refuses', async () => {
    limited('usync', 429)
    expect(await session.post('/user/check', { Phone: [NOBODY] })).to.include({ status: 429 })
    expect(await session.post('/user/check', { Phone: [] })).to.include({ status: 400 })
  })

  it('POST /user/check answers for each number, also for those that are none', async () => {
    const wrong = ['abc', '', '12', '1@g.us', '999999999999999@lid', '@no such name']
    const Phone = [wrong[0], ana.account.phone, ...wrong.slice(1), NOBODY, ana.account.phone]
    const { data, error } = await session.post('/user/check', { Phone })
    expect(error).to.equal(undefined)
    const users = data.Users as { Query: string; IsInWhatsapp: boolean; JID: string; Error?: string }[]
    expect(users.map(({ Query }) => Query)).to.deep.equal(Phone)
    expect(users.filter(({ IsInWhatsapp }) => IsInWhatsapp).map(({ JID }) => JID)).to.deep.equal([
      ana.account.jid,
      ana.account.jid,
    ])
    for (const user of users)
      if (wrong.includes(user.Query)) {
        expect(user, user.Query).to.include({ IsInWhatsapp: false, JID: '', LID: '', VerifiedName: '' })
        expect(user.Error, user.Query).to.match(/^(Could not parse Phone|Invalid Phone): /)
      } else expect(user, user.Query).to.not.have.property('Error')
    const before = world.counters()['stanzasIn']
    const none = await session.post('/user/check', { Phone: 'abc' })
    expect(none.data.Users[0].Error).to.include('"abc" is neither a phone number')
    expect(world.counters()['stanzasIn'], 'nothing was asked').to.equal(before)
  })

  shows('POST /user/avatar', 'returns the location of the picture', async () => {
    const whole = await session.post('/user/avatar', { Phone: ana.account.phone, Preview: false })
    const id = pictureOf(ana)
    expect(whole.data).to.include({ ID: id, id, Type: 'image', DirectPath: `/profile/${id}` })
    expect(whole.data.URL).to.equal(whole.data.url).and.include(`/profile/${id}`)
    const small = await session.post('/user/avatar', { Phone: ana.account.lid, Preview: true })
    expect(small.data).to.include({ ID: id, Type: 'preview' })
  })

  refuses('POST /user/avatar', 'hidden pictures, and reports missing ones', async () => {
    await privacy({ profile: 'none' })
    const Phone = ana.account.phone
    expect(await session.post('/user/avatar', { Phone, Preview: true })).to.include({
      status: 403,
      error: 'WhatsApp refused: not-authorized (401)',
    })
    await privacy({ profile: 'contacts' })
    expect(await session.post('/user/avatar', { Phone })).to.include({ status: 200 })
    await privacy({ profile: 'all' })
    expect(await session.post('/user/avatar', { Phone: shop.account.phone })).to.include({
      status: 404,
      error: 'No avatar found',
    })
  })

  it('POST /user/avatar sends the token of people who trust the account (whatsapp/26)', async () => {
    const bea = await world.phone('Bea')
    await bea.act({ Action: 'setPicture', Data: { Image: await picture(5) } })
    await bea.act({ Action: 'setPrivacy', Data: { profile: 'contacts' } })
    const ask = () => session.post('/user/avatar', { Phone: bea.account.phone })
    expect(await ask()).to.include({ status: 403 })
    await bea.act({ Action: 'trust', Chat: session.phone.account.phone })
    // Nothing tells when the token has been stored.
    const { data } = await eventually(async () => {
      const answer = await ask()
      return answer.success && answer
    }, 'trusted')
    expect(data).to.include({ ID: pictureOf(bea) })
  })

  shows(
    'GET /user/avatar',
    'accepts query and JSON body, and returns the own picture by default',
    async () => {
      const id = pictureOf(ana)
      const byQuery = await session.get(`/user/avatar?Phone=${ana.account.phone}&Preview=true`)
      expect(byQuery.data).to.include({ ID: id, Type: 'preview' })
      const byBody = await getWithBody('/user/avatar', { phone: Number(ana.account.phone) })
      expect(byBody.data).to.include({ ID: id, Type: 'image' })
      await session.phone.act({ Action: 'setPicture', Data: { Image: await picture(77) } })
      expect((await session.get('/user/avatar')).data).to.include({ ID: pictureOf(session.phone) })
    },
  )

  refuses('GET /user/avatar', 'hidden pictures, and reports missing ones', async () => {
    await privacy({ profile: 'none' })
    expect(await session.get(`/user/avatar?Phone=${ana.account.phone}`)).to.include({ status: 403 })
    await privacy({ profile: 'all' })
    await session.phone.act({ Action: 'removePicture' })
    expect(await session.get('/user/avatar')).to.include({ status: 404, error: 'No avatar found' })
  })

  shows('POST /user/parselid', 'returns the number of a sender', async () => {
    const bea = await world.phone('Bea')
    await bea.send(session.phone.account.lid, { Text: 'oi from Bea' })
    await receiver.wait(({ body }) => body.includes('oi from Bea'))
    const { data } = await session.post('/user/parselid', { LID: bea.account.lid })
    const { jid, phone, lid } = bea.account
    expect(data).to.deep.equal({ success: true, jid, jidClear: phone, lid })
    const { data: again } = await session.post('/user/parselid', { lid: lid.replace('@lid', '') })
    expect(again).to.include({ jid })
  })

  refuses('POST /user/parselid', 'unknown LIDs', async () => {
    expect(await session.post('/user/parselid', { LID: '123456789012345@lid' })).to.include({
      status: 404,
      error: 'LID not found',
    })
    expect(await session.post('/user/parselid', { LID: ana.account.jid })).to.include({ status: 400 })
  })

  it('raises Picture for set and removed pictures, with both forms of the JID', async () => {
    await ana.send(session.phone.account.phone, { Text: 'a chat' })
    await receiver.wait(({ body }) => body.includes('a chat'))
    await ana.act({ Action: 'setPicture', Data: { Image: await picture(33) } })
    const { lid: JID, jid: JIDAlt } = ana.account
    const id = String(pictureOf(ana))
    const set = JSON.parse((await receiver.wait(({ body }) => body.includes(`"PictureID":"${id}"`))).body)
    expect(set).to.include({ type: 'Picture' })
    expect(set.event).to.deep.include({ JID, JIDAlt, Author: JID, AuthorAlt: JIDAlt, Remove: false })
    await ana.act({ Action: 'removePicture' })
    const isRemoval = ({ body }: { body: string }) => body.includes('"Remove":true') && body.includes(JID)
    const removed = JSON.parse((await receiver.wait(isRemoval)).body)
    expect(removed.event).to.include({ JID, JIDAlt, PictureID: '' })
  })

  /** fetch sends no body with GET; clients of this family do. */
  function getWithBody(path: string, body: object): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const text = JSON.stringify(body)
      const headers = { ...session.headers, 'content-length': Buffer.byteLength(text) }
      request(`${world.gateway.url}${path}`, { method: 'GET', headers }, (response) => {
        let answer = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          answer += chunk
        })
        response.on('end', () => resolve(JSON.parse(answer) as Answer))
      })
        .on('error', reject)
        .end(text)
    })
  }
})
