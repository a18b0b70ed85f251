import { expect } from 'chai'
import { systemViewer } from '../../../../kernel/plugin.ts'
import chatLog from '../../../../plugins/chat-log/index.ts'
import type { Stored } from '../../../../plugins/sandbox/phone/messages/store.ts'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../../support/eventually.ts'
import { picture } from '../../../support/picture.ts'
import { createProbe } from '../../../support/probe.ts'
import { type LinkedSession, startWorld, type World } from '../../../support/world.ts'

const DAY = 86_400
const WEEK = 604_800
const image = await picture()

/** Every kind of content that the interface sends, to `Phone`. */
const KINDS: Readonly<Record<string, (Phone: string) => [path: string, body: object]>> = {
  text: (Phone) => ['/send/text', { Phone, Body: 'hello' }],
  image: (Phone) => ['/send/image', { Phone, Image: image }],
  document: (Phone) => ['/send/document', { Phone, Document: image, FileName: 'a.png' }],
  sticker: (Phone) => ['/send/sticker', { Phone, Sticker: image }],
  poll: (Phone) => ['/send/poll', { Phone, Question: 'Which?', MaxAnswer: 1, Options: ['a', 'b'] }],
  template: (Phone) => ['/send/template', { Phone, Content: 'hello', Buttons: [{ DisplayText: 'Yes' }] }],
  location: (Phone) => ['/send/location', { Phone, Latitude: 1, Longitude: 2 }],
  contact: (Phone) => ['/send/contact', { Phone, Vcard: { FullName: 'Ana', Phone: '5511999999999' } }],
  buttons: (Phone) => [
    '/send/buttons',
    { Phone, Title: 'One', Content: 'two', Footer: 'three', Buttons: [{ text: 'Yes' }] },
  ],
  list: (Phone) => [
    '/send/list',
    { Phone, ButtonText: 'Open', Desc: 'text', TopText: 'top', List: [{ title: 'One' }] },
  ],
  preview: (Phone) => [
    '/send/preview',
    {
      Phone,
      Text: 'look',
      Title: 'Page',
      Description: 'A page',
      Image: image,
      MatchedURL: 'https://a.example',
    },
  ],
  'button for a place': (Phone) => ['/send/locationbutton', { Phone, Body: 'where' }],
  PIX: (Phone) => ['/send/pixbutton', { Phone, Body: 'pay', PixKey: '5511999999999', PixType: 'PHONE' }],
  carousel: (Phone) => [
    '/send/carousel',
    { Phone, Body: 'cards', Carousel: [{ text: 'one' }, { text: 'two' }] },
  ],
}

describe('messages of chats with a disappearing timer', () => {
  const probe = createProbe()
  let world: World
  let session: LinkedSession
  let shop: Phone
  before(async () => {
    world = await startWorld({ extra: [probe.plugin, chatLog] })
    shop = await world.phone('Shop')
    session = await world.linked(shop)
    await probe.synced(session)
  })
  after(() => world.stop())
  afterEach(() => world.fault({ Fault: 'clear' }))

  const arrived = (phone: Phone, id: unknown): Promise<Stored> => phone.wait((message) => message.id === id)
  const sends = async (path: string, body: object): Promise<string> => {
    const { status, data, error } = await session.post(path, body)
    expect(status, error).to.equal(200)
    return String(data.Id)
  }
  const says = (Phone: string, more: object = {}) => sends('/send/text', { Phone, Body: 'hello', ...more })
  const setTimer = async (phone: Phone, Seconds: number): Promise<void> => {
    await phone.act({ Action: 'setTimer', Chat: shop.account.phone, Data: { Seconds } })
  }
  /** The gateway knows that the chat has this timer. */
  const told = (phone: Phone, seconds: number) =>
    probe.event('DisappearingTimer', ({ JID, JIDAlt, Timer }) => {
      const { jid, lid } = phone.account
      return Timer === seconds && [JID, JIDAlt].some((one) => one === jid || one === lid)
    })
  const groupOf = async (owner: Phone, other: Phone): Promise<string> => {
    const Participants = [other.account.phone]
    const made = await owner.act({ Action: 'createGroup', Text: 'Team', Participants })
    return String(made['JID'])
  }
  const setGroup = (phone: Phone, Chat: string, Seconds: number) =>
    phone.act({ Action: 'ephemeral', Chat, Data: { Seconds } })
  const setByUs = async (phone: string): Promise<void> => {
    expect(await session.post('/chat/disappearing-timer', { phone, timer: '24h' })).to.include({
      status: 200,
    })
  }
  const shows = (message: Stored, seconds: number): void => {
    expect(message, JSON.stringify(message.message)).to.include({ expiration: seconds })
    expect(message.expires).to.equal(message.timestamp + seconds)
    expect(message).not.to.have.property('willNotDisappear')
  }
  const offline = async (work: () => Promise<unknown>): Promise<void> => {
    await session.post('/session/disconnect')
    await work()
    await session.post('/session/connect')
    await session.status({ LoggedIn: true })
  }

  it('have the timer that the other side has set (whatsapp/07)', async () => {
    const bob = await world.phone('Bob')
    await setTimer(bob, DAY)
    await told(bob, DAY)
    for (const kind of ['text', 'image', 'poll'] as const) {
      const [path, body] = KINDS[kind]?.(bob.account.phone) ?? ['', {}]
      shows(await arrived(bob, await sends(path, body)), DAY)
    }
    const { raw } = await arrived(bob, await says(bob.account.lid))
    const context = raw.extendedTextMessage?.contextInfo
    expect(raw.extendedTextMessage?.text).to.equal('hello')
    expect(Number(context?.ephemeralSettingTimestamp)).to.be.closeTo(Date.now() / 1000, 60)
    expect(context?.disappearingMode).to.include({ initiator: 0, trigger: 1 })
  })

  for (const form of ['phone', 'lid'] as const)
    it(`have the timer that was set while the session was offline, by ${form} (whatsapp/08)`, async () => {
      const bob = await world.phone('Bob')
      await setTimer(bob, DAY)
      await told(bob, DAY)
      await offline(async () => {
        await setTimer(bob, WEEK)
        await bob.send(shop.account.phone, { Text: 'later' })
      })
      await told(bob, WEEK)
      shows(await arrived(bob, await says(bob.account[form])), WEEK)
    })

  for (const form of ['jid', 'lid'] as const)
    it(`learn it from any message of the other side, by its ${form} (whatsapp/08)`, async () => {
      const bob = await world.phone('Bob')
      await setTimer(bob, DAY)
      await told(bob, DAY)
      // What the session has missed: only the message tells of it.
      world.fault({ Phone: shop.account.phone, Fault: 'holdMessages', Count: 1 })
      await setTimer(bob, WEEK)
      await bob.send(shop.account[form], { Text: 'hello' })
      await told(bob, WEEK)
      shows(await arrived(bob, await says(bob.account.phone)), WEEK)
      world.fault({ Phone: shop.account.phone, Fault: 'releaseMessages' })
    })

  it('keep a timer that the caller has set, and stay without one where there is none', async () => {
    const bob = await world.phone('Bob')
    await setTimer(bob, DAY)
    await told(bob, DAY)
    const own = await arrived(bob, await says(bob.account.phone, { ContextInfo: { Expiration: WEEK } }))
    expect(own).to.include({ expiration: WEEK, willNotDisappear: true })
    await setTimer(bob, 0)
    await told(bob, 0)
    const plain = await arrived(bob, await says(bob.account.phone))
    expect(plain.message).to.have.property('extendedTextMessage').that.not.has.property('contextInfo')
    expect(plain).not.to.have.property('willNotDisappear')
  })

  it('have the newer of two settings, and one that no later clock outlives (whatsapp/08)', async () => {
    const bob = await world.phone('Bob')
    await setTimer(bob, DAY)
    await told(bob, DAY)
    const context = (ephemeralSettingTimestamp: number) => ({
      extendedTextMessage: { text: 'hi', contextInfo: { expiration: WEEK, ephemeralSettingTimestamp } },
    })
    const far = Math.floor(Date.now() / 1000) + 400 * DAY
    world.fault({ Phone: bob.account.phone, Fault: 'oldClient' })
    for (const time of [1_000, far]) {
      const id = await bob.send(shop.account.phone, { Message: context(time) })
      await probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === id)
      expect(await arrived(bob, await says(bob.account.phone))).to.include({ expiration: DAY })
    }
  })

  it('are stored with the timer, for when they are sent again', async () => {
    const bob = await world.phone('Bob')
    await setTimer(bob, DAY)
    await told(bob, DAY)
    const id = await says(bob.account.phone)
    const { id: own } = (await probe.session(session.token)) ?? { id: '' }
    const stored = await (await probe.socket(session)).message({ id }, systemViewer(own))
    expect(stored?.message).to.have.nested.property('extendedTextMessage.contextInfo.expiration', DAY)
  })

  it('are set with a time and a mode, unwrapped (whatsapp/09)', async () => {
    const bob = await world.phone('Bob')
    await setByUs(bob.account.phone)
    const { raw } = await bob.wait(({ fromMe }) => !fromMe)
    const { ephemeralExpiration, ephemeralSettingTimestamp, disappearingMode } = raw.protocolMessage ?? {}
    expect(ephemeralExpiration).to.equal(DAY)
    expect(Number(ephemeralSettingTimestamp)).to.be.closeTo(Date.now() / 1000, 60)
    expect(disappearingMode).to.include({ initiator: 0, trigger: 0 })
    const reply = await bob.send(shop.account.phone, { Text: 'hi' })
    shows(await arrived(shop, reply), DAY)
  })

  it('have timers that were in the history, and the list of chats shows them (whatsapp/08)', async () => {
    const owner = await world.phone('Owner')
    const bob = await world.phone('Bob')
    const Chat = owner.account.phone
    const { Id } = await bob.act({ Action: 'setTimer', Chat, Data: { Seconds: WEEK } })
    await arrived(owner, Id)
    const linked = await world.linked(owner)
    await probe.event('HistorySync', ({ Data }) => JSON.stringify(Data).includes(String(Id)))
    const { data } = await linked.post('/send/text', { Phone: bob.account.phone, Body: 'hello' })
    shows(await arrived(bob, data.Id), WEEK)
    const chat = await eventually(async () => {
      const chats = (await linked.get('/chats')).data.Chats as { Phone: string; Timer: number }[]
      return chats.find(({ Phone }) => Phone === bob.account.phone)
    }, 'listed')
    expect(chat).to.include({ Timer: WEEK })
  })

  it('that are kept raise an event (whatsapp/39)', async () => {
    const bob = await world.phone('Bob')
    await setTimer(bob, DAY)
    await told(bob, DAY)
    const id = await says(bob.account.phone)
    await arrived(bob, id)
    await bob.act({ Action: 'keep', Id: id })
    await bob.act({ Action: 'keep', Id: id, Data: { On: false } })
    const undone = await probe.event('KeepInChat', ({ MessageID, Keep }) => MessageID === id && !Keep)
    expect(undone.body['event']).to.include({ IsFromMe: false })
    const kept = probe.events('KeepInChat').map(({ body }) => (body['event'] as { Keep: boolean }).Keep)
    expect(kept).to.deep.equal([true, false])
  })

  describe('of every kind', () => {
    const all = async (phone: Phone, chat: string, seconds: number): Promise<void> => {
      for (const [kind, requestOf] of Object.entries(KINDS)) {
        const message = await arrived(phone, await sends(...requestOf(chat)))
        expect(message.expiration, kind).to.equal(seconds)
        shows(message, seconds)
      }
    }

    it('have a timer of a person that we have set (whatsapp/07)', async () => {
      const bob = await world.phone('Bob')
      await setByUs(bob.account.phone)
      await all(bob, bob.account.phone, DAY)
    })
    it('have a timer that the person has set (whatsapp/07)', async () => {
      const bob = await world.phone('Bob')
      await setTimer(bob, DAY)
      await told(bob, DAY)
      await all(bob, bob.account.lid, DAY)
    })
    it("have the account's default in a new chat (whatsapp/07)", async () => {
      const [bob, old] = [await world.phone('Bob'), await world.phone('Old')]
      const before = await arrived(old, await says(old.account.phone))
      expect(before).not.to.have.property('expiration')
      await shop.act({ Action: 'setDisappearing', Data: { Seconds: WEEK } })
      await all(bob, bob.account.phone, WEEK)
      expect(await arrived(old, await says(old.account.phone))).not.to.have.property('expiration')
      await shop.act({ Action: 'setDisappearing', Data: { Seconds: 0 } })
    })
    it('have a timer of a person that has changed while we were offline (whatsapp/08)', async () => {
      const bob = await world.phone('Bob')
      await setTimer(bob, DAY)
      await told(bob, DAY)
      await offline(async () => {
        await setTimer(bob, WEEK)
        await bob.send(shop.account.phone, { Text: 'later' })
      })
      await told(bob, WEEK)
      await all(bob, bob.account.phone, WEEK)
    })
    it('have a timer of a group that we have set', async () => {
      const bob = await world.phone('Bob')
      const group = await groupOf(shop, bob)
      await setByUs(group)
      await all(bob, group, DAY)
    })
    it('have a timer of a group that a member has set, in its stanza too (whatsapp/07)', async () => {
      const bob = await world.phone('Bob')
      const group = await groupOf(bob, shop)
      await setGroup(bob, group, DAY)
      await probe.event('DisappearingTimer', ({ JID, Timer }) => JID === group && Timer === DAY)
      await all(bob, group, DAY)
      const { attrs, raw } = await arrived(bob, await says(group))
      expect(attrs).to.include({ expiration: String(DAY) })
      const context = raw.extendedTextMessage?.contextInfo
      expect(context?.disappearingMode).to.include({ initiator: 0, trigger: 1 })
      expect(Number(context?.ephemeralSettingTimestamp)).to.equal(0)
    })
    it('have a timer of a group that has changed while we were offline', async () => {
      const bob = await world.phone('Bob')
      const group = await groupOf(bob, shop)
      await setGroup(bob, group, DAY)
      await offline(() => setGroup(bob, group, WEEK))
      await probe.event('DisappearingTimer', ({ JID, Timer }) => JID === group && Timer === WEEK)
      await all(bob, group, WEEK)
    })
  })
})
