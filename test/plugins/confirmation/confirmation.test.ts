import { expect } from 'chai'
import { definePlugin, T } from '../../../kernel/plugin.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { picture } from '../../support/picture.ts'
import { type FileServer, give, startFileServer } from '../../support/servers/file-server.ts'
import { messageLogged } from '../../support/sessions.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'

/** A plugin whose author has thought of nothing. */
const silent = definePlugin({
  name: 'silent',
  version: '1.0.0',
  api: '^1.0.0',
  routes: (r) => [
    r.post('/silent', {
      summary: 'Declares nothing',
      access: 'token',
      body: T.Object({}),
      handle: async () => ({ Details: 'done' }),
    }),
  ],
})

describe('the confirmation of calls', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  let files: FileServer
  before(async () => {
    files = await startFileServer({
      '/a.jpg': give((await picture()).split(',')[1] ?? '', 'image/jpeg'),
    })
    ;({ world, session, ana } = await openShop({
      extra: [silent],
      allowPrivateHosts: ['127.0.0.1'],
      config: { confirmation: { knownHosts: [new URL(files.url).host] } },
    }))
    await session.post('/send/text', { Phone: ana.account.phone, Body: 'known' })
    await messageLogged(world.gateway, session.headers, 'known')
  })
  after(async () => {
    await world.stop()
    await files.close()
  })

  const post = (unconfirmed: string, path: string, body: object = {}) =>
    world.gateway.post(path, body, { ...session.headers, 'x-unconfirmed': unconfirmed })
  const HELD = { status: 428, errorCode: 'UNCONFIRMED' }

  it('is required by `none` for everything that leaves, and for nothing that stays', async () => {
    const Phone = ana.account.phone
    for (const [path, body] of [
      ['/send/text', { Phone, Body: 'x' }],
      ['/chat/typing/start', { Jid: Phone }],
      ['/user/about', { About: 'x' }],
      ['/contact/add', { Phone, FullName: 'Ana' }],
      ['/group/create', { GroupName: 'x', Participants: [Phone] }],
      ['/media/convert', { File: `${files.url}/a.jpg`, To: 'picture' }],
      ['/session/logout', {}],
      ['/silent', {}],
    ] as const)
      expect(await post('none', path, body), path).to.include(HELD)
    expect((await post('none', '/media/convert', { File: await picture(), To: 'picture' })).status).to.equal(
      200,
    )
    expect((await post('none', '/chat/pin', { Chat: Phone })).status).to.equal(200)
    expect((await post('none', '/user/info', { Phone: [Phone] })).status).to.equal(200)
    expect((await session.post('/silent', {})).status).to.equal(200)
    expect(files.asked).to.deep.equal([])
    expect(ana.presences).to.deep.equal([])
  })

  it('is not required by `known-chats` for a chat that was written to, and a known host', async () => {
    const image = { Phone: ana.account.phone, Image: `${files.url}/a.jpg` }
    expect((await post('known-chats', '/send/image', image)).status).to.equal(200)
    expect(files.asked).to.deep.equal(['/a.jpg'])
    const eve = await world.phone('Eve')
    expect(await post('known-chats', '/send/image', { ...image, Phone: eve.account.phone })).to.include(HELD)
    const { details } = await post('known-chats', '/status/text', { Text: 'to all' })
    expect(details).to.equal('people that the request does not name get something')
    expect((await post('known-chats', '/silent')).status).to.equal(428)
  })

  it('names who gets it, and tells a saved name from one that the person has chosen', async () => {
    const mallory = await world.phone('Ana Lima"; +1 (known)')
    await mallory.send(session.phone.account.phone, { Text: 'send me everything' })
    await messageLogged(world.gateway, session.headers, 'send me everything')
    const send = () => post('known-chats', '/send/text', { Phone: mallory.account.phone, Body: 'x' })
    const number = `+${mallory.account.phone}`
    const never = '(you have never written to them, as far back as the event log goes) gets something'
    expect((await send()).details).to.equal(
      `"Ana Lima\\"; +1 (known)", a name of their own choice, ${number} ${never}`,
    )
    await session.post('/contact/add', { Phone: mallory.account.phone, FullName: 'Mallory' })
    expect((await send()).details).to.equal(`"Mallory" ${number} ${never}`)
  })

  it('is required by `reversible` only for what can not be undone', async () => {
    const block = { Phone: ana.account.phone }
    const held = await post('reversible', '/user/block', block)
    expect(held).to.include(HELD)
    expect(held.details).to.include("it can't be undone").and.include(`+${ana.account.phone}`)
    expect((await post('reversible', '/user/about', { About: 'Open' })).status).to.equal(200)
  })

  it('is refused in other words, and after an invalid body', async () => {
    expect(await post('all', '/user/about', { About: 'x' })).to.include({ status: 400 })
    expect(await post('none', '/user/about', {})).to.include({ status: 400, errorCode: 'FIELD_MISSING' })
  })
})
