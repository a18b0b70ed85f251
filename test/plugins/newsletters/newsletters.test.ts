import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { definePlugin } from '../../../kernel/plugin.ts'
import type { Stored } from '../../../plugins/sandbox/phone/messages/store.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { type Events, eventsOf, type Told } from '../../support/events/events.ts'
import { eventually } from '../../support/eventually.ts'
import { picture } from '../../support/picture.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'

const NOBODY = '120363000000000000@newsletter'

/** Holds the logging of messages back, as a slow database would. */
let held: { reached(): void; open: Promise<void> } | undefined
const holder = definePlugin({
  name: 'holder',
  version: '1.0.0',
  api: '^1.0.0',
  translate: {
    message: async () => {
      held?.reached()
      await held?.open
      return undefined
    },
  },
})

describe('newsletters', () => {
  let world: World
  let shop: LinkedSession
  let ana: LinkedSession
  let bea: Phone
  let told: Events
  /** Owned by the shop; Ana's companion follows it, Bea's phone too. */
  let news: string
  let invite: string

  before(async () => {
    world = await startWorld({ extra: [holder], config: { baileys: { ackTimeoutMs: 3000 } } })
    shop = await world.linked(await world.phone('Shop'))
    ana = await world.linked(await world.phone('Ana'))
    bea = await world.phone('Bea')
    told = await eventsOf(ana)
  })
  after(async () => {
    await told.close()
    await world.stop()
  })

  const onNetwork = (jid: string) =>
    (world.gateway.service('sandbox').network.view()['Newsletters'] as Record<string, unknown>[]).find(
      ({ JID }) => JID === jid,
    ) as { Followers: object[]; Live: string[]; Posts: Record<string, unknown>[] } & Record<string, unknown>
  const last = () => onNetwork(news).Posts.at(-1) as { ID: string; ServerID: number; MediaID: string }
  const post = (Text: string) => shop.phone.act({ Action: 'postNewsletter', Chat: news, Text })
  const act = (phone: Phone, Action: string, more: object = {}) => phone.act({ Action, Chat: news, ...more })

  shows('POST /newsletter/create', 'creates a newsletter that the account owns', async () => {
    const { data, error } = await shop.post('/newsletter/create', {
      Name: 'News @home',
      Description: 'daily',
    })
    expect(data, error).to.nested.include({
      'state.type': 'active',
      'thread_metadata.name.text': 'News @home',
      'thread_metadata.description.text': 'daily',
      'thread_metadata.picture': null,
      'viewer_metadata.role': 'owner',
    })
    news = data.id
    invite = data.thread_metadata.invite
    expect(onNetwork(news)).to.deep.include({
      Name: 'News @home',
      Description: 'daily',
      Followers: [{ Phone: shop.phone.account.phone, Role: 'OWNER', Muted: false }],
    })
    const other = (await shop.get('/newsletter/list')).data.Newsletter
    expect(other.map(({ id }: { id: string }) => id)).to.deep.equal([news])
  })

  refuses('POST /newsletter/create', 'a name that is too long for the network', async () => {
    const answer = await ana.post('/newsletter/create', { Name: '😀'.repeat(51) })
    expect(answer).to.include({ status: 502, success: false })
    expect(answer.error).to.match(/^Failed to create the newsletter: .*\(400\)$/)
    expect(await ana.post('/newsletter/create', {})).to.include({ error: 'Missing Name in Payload' })
    expect((await ana.get('/newsletter/list')).data).to.deep.equal({ Newsletter: [] })
  })

  shows('POST /newsletter/info', 'returns a newsletter as a guest sees it', async () => {
    const { data } = await ana.post('/newsletter/info', { JID: news })
    expect(data).to.nested.include({
      id: news,
      'thread_metadata.invite': invite,
      'viewer_metadata.role': 'guest',
    })
  })

  refuses('POST /newsletter/info', 'a newsletter that does not exist', async () => {
    const answer = await ana.post('/newsletter/info', { JID: NOBODY })
    expect(answer).to.include({ status: 404, error: 'Newsletter not found' })
    const group = await ana.post('/newsletter/info', { JID: '123@g.us' })
    expect(group).to.include({ status: 400, error: 'Invalid JID: "123@g.us" is not a newsletter' })
  })

  shows('POST /newsletter/link', 'returns the newsletter of a link or code', async () => {
    const link = `https://whatsapp.com/channel/${invite}?x=1`
    for (const body of [{ Code: invite }, { Link: link }, { key: link }]) {
      expect((await ana.post('/newsletter/link', body)).data).to.have.property('id', news)
    }
  })

  refuses('POST /newsletter/link', 'an unknown link', async () => {
    const answer = await ana.post('/newsletter/link', { Code: '0029VaNothing' })
    expect(answer).to.include({ status: 404, error: 'Newsletter not found' })
    expect(await ana.post('/newsletter/link', {})).to.include({ error: 'Missing Code in Payload' })
    const other = await ana.post('/newsletter/link', { Link: 'https://example.com/x' })
    expect(other).to.include({ error: 'Invalid Link: is not a newsletter link' })
  })

  shows(
    'POST /newsletter/subscribe',
    'follows a newsletter, and delivers changes of views and reactions',
    async () => {
      const { data } = await ana.post('/newsletter/subscribe', { JID: news })
      expect(data).to.deep.equal({ Details: 'Following, with live updates', JID: news })
      expect(onNetwork(news).Followers).to.deep.include({
        Phone: ana.phone.account.phone,
        Role: 'SUBSCRIBER',
        Muted: false,
      })
      await act(bea, 'followNewsletter')
      const { Id } = await post('first')
      const { ServerID } = last()
      await bea.wait(({ id }) => id === Id)
      await act(bea, 'viewNewsletter', { Id: String(ServerID) })
      await act(bea, 'reactNewsletter', { Id: String(ServerID), Text: '👍' })
      const { event } = await told.wait(
        'NewsletterLiveUpdate',
        (e) => e.Messages[0].ReactionCounts['👍'] === 1,
      )
      expect(event).to.have.property('JID', news)
      expect(event.Messages).to.have.length(1)
      expect(event.Messages[0]).to.include({ MessageServerID: ServerID, MessageID: Id, ViewsCount: 1 })
    },
  )

  refuses('POST /newsletter/subscribe', 'a newsletter that does not exist', async () => {
    const answer = await ana.post('/newsletter/subscribe', { JID: NOBODY })
    expect(answer).to.include({ status: 404, error: 'Newsletter not found' })
    expect(await ana.post('/newsletter/subscribe', {})).to.include({ error: 'Missing JID in Payload' })
  })

  shows('GET /newsletter/list', 'lists the followed newsletters', async () => {
    const { data } = await ana.get('/newsletter/list')
    expect(data.Newsletter).to.have.length(1)
    expect(data.Newsletter[0]).to.nested.include({
      id: news,
      'thread_metadata.subscribers_count': '2',
      'viewer_metadata.role': 'subscriber',
    })
  })

  refuses('GET /newsletter/list', 'a session that is not linked', async () => {
    const { data } = await world.gateway.post('/session/init', { Name: 'New' }, admin)
    const answer = await world.gateway.get('/newsletter/list', { token: data.Token })
    expect(answer).to.include({ status: 409, error: 'No session' })
  })

  it('a post comes as Message, its chat being the newsletter', async () => {
    const { Id } = await post('hello followers')
    const { event } = await told.wait('Message', ({ Info }) => Info.ID === Id)
    expect(event.Info).to.include({ Chat: news, Sender: news, IsFromMe: false, IsGroup: false, Type: 'text' })
    expect(event.Info.ServerID).to.equal(last().ServerID)
    expect(event.Message).to.deep.equal({ conversation: 'hello followers' })
  })

  it('a post is logged before it is acknowledged, and once however often it comes', async () => {
    const waiting = async () => {
      const { data } = await world.gateway.get(`/sandbox/phones/${ana.phone.account.phone}`, admin)
      return data.Companions[0].Waiting as number
    }
    await eventually(async () => (await waiting()) === 0, 'drained')
    let release = (): void => undefined
    const open = new Promise<void>((resolve) => {
      release = resolve
    })
    const reached = new Promise<void>((resolve) => {
      held = { reached: resolve, open }
    })
    const { Id } = await post('slowly')
    await reached
    // Whatever the session said before this answer, the network has heard.
    await ana.get('/newsletter/list')
    expect(await waiting()).to.equal(1)
    held = undefined
    release()
    await told.wait('Message', ({ Info }) => Info.ID === Id)
    await eventually(async () => (await waiting()) === 0, 'drained')
    world.fault({ Phone: ana.phone.account.phone, Fault: 'redeliver', Count: 1 })
    await eventually(async () => (await waiting()) === 0, 'drained')
    const { Id: next } = await post('next')
    await told.wait('Message', ({ Info }) => Info.ID === next)
    expect(told.all.filter(({ event }) => event.Info?.ID === Id)).to.have.length(1)
  })

  it('the owner posts with /send/text: followers, their companions and the own phone get it', async () => {
    const { data, error } = await shop.post('/send/text', { Phone: news, Body: 'from the gateway' })
    expect(data, error).to.include({ Details: 'Sent', Chat: news })
    for (const phone of [bea, ana.phone, shop.phone]) {
      const { message, chat } = await phone.wait(({ id }) => id === data.Id)
      expect(chat).to.equal(news)
      expect(message).to.have.nested.property('extendedTextMessage.text', 'from the gateway')
    }
    await told.wait('Message', ({ Info }) => Info.ID === data.Id)
  })

  it('the owner posts a picture, which is not encrypted and names its upload', async () => {
    const image = await picture(40, 30)
    const { data, error } = await shop.post('/send/image', { Phone: news, Image: image, Caption: 'look' })
    expect(data, error).to.include({ Details: 'Sent' })
    const { message, media } = await bea.wait(({ id }) => id === data.Id)
    expect(message).to.have.nested.property('imageMessage.caption', 'look')
    expect(message).not.to.have.nested.property('imageMessage.mediaKey')
    const plain = Buffer.from(image.split(',')[1] ?? '', 'base64')
    expect(media?.sha256).to.equal(createHash('sha256').update(plain).digest('hex'))
    expect(last().MediaID).to.match(/^[0-9a-f]{32}$/)
    const place = await shop.post('/send/location', { Phone: news, Latitude: 1, Longitude: 2 })
    await bea.wait(({ id }) => id === place.data?.Id)
  })

  it('nobody else may post', async () => {
    const before = onNetwork(news).Posts.length
    const answer = await ana.post('/send/text', { Phone: news, Body: 'me too' })
    expect(answer).to.include({ status: 403, error: 'WhatsApp refused: not allowed in this chat (403)' })
    const nowhere = await ana.post('/send/text', { Phone: NOBODY, Body: 'x' })
    expect(nowhere).to.include({ status: 404, error: `${NOBODY} is not on WhatsApp` })
    expect(onNetwork(news).Posts).to.have.length(before)
  })

  shows('POST /newsletter/messages', 'returns posts with their counts, page by page backwards', async () => {
    const posts = onNetwork(news).Posts as { ID: string; ServerID: number }[]
    const page = async (body: object) =>
      (await ana.post('/newsletter/messages', { JID: news, ...body })).data.Messages
    const newest = await page({ Count: 3 })
    expect(newest.map(({ MessageID }: { MessageID: string }) => MessageID)).to.deep.equal(
      posts.slice(-3).map(({ ID }) => ID),
    )
    expect(newest[0].Message).to.have.nested.property('extendedTextMessage.text', 'from the gateway')
    expect(newest[1].Message)
      .to.have.nested.property('imageMessage.URL')
      .that.matches(/^https:/)
    const older = await page({ Count: 100, BeforeID: newest[0].MessageServerID })
    expect(older.map(({ MessageServerID }: { MessageServerID: number }) => MessageServerID)).to.deep.equal(
      posts.slice(0, -3).map(({ ServerID }) => ServerID),
    )
    expect(older[0]).to.deep.include({ ViewsCount: 1, ReactionCounts: { '👍': 1 }, Type: 'text' })
    expect(older[0].Timestamp).to.match(/^\d{4}-\d\d-\d\dT.*Z$/)
  })

  refuses('POST /newsletter/messages', 'a newsletter that does not exist', async () => {
    const answer = await ana.post('/newsletter/messages', { JID: NOBODY })
    expect(answer).to.include({ status: 404, error: 'Newsletter not found' })
    const count = await ana.post('/newsletter/messages', { JID: news, Count: 101 })
    expect(count).to.include({ status: 400, error: 'Invalid Count: must be <= 100' })
    const before = await ana.post('/newsletter/messages', { JID: news, BeforeID: 'x1' })
    expect(before.error).to.include('Invalid BeforeID')
  })

  const edit = (session: LinkedSession, Id: string, Body: string) =>
    session.post('/message/edit', { Phone: news, Id, Body })

  it('the owner edits a post: followers, their companions and the own phone see the new text', async () => {
    const { Id } = (await post('helo')) as { Id: string }
    await told.wait('Message', ({ Info }) => Info.ID === Id)
    const before = onNetwork(news).Posts.length
    for (const text of ['hello', 'hello!', 'hello']) {
      const { data, error } = await edit(shop, Id, text)
      expect(data, error).to.include({ Details: 'Sent', Id, Chat: news })
    }
    for (const phone of [bea, ana.phone, shop.phone]) {
      const isEdited = ({ id, attrs }: Stored) => id === Id && attrs['edit'] === '3'
      await eventually(() => phone.messages().filter(isEdited).length === 3, 'three edits on the phone')
      const texts = phone
        .messages()
        .filter(isEdited)
        .map(({ message }) => message['extendedTextMessage'])
      expect(texts).to.deep.equal([{ text: 'hello' }, { text: 'hello!' }, { text: 'hello' }])
    }
    const isEdit = ({ event }: Told) => event.Info?.ID === Id && event.Info.Edit === '3'
    await eventually(() => told.all.filter(isEdit).length === 3, 'three edits delivered')
    expect(told.all.filter(isEdit).map(({ event }) => event.Message.extendedTextMessage.text)).to.deep.equal([
      'hello',
      'hello!',
      'hello',
    ])
    for (const { event } of told.all.filter(isEdit)) {
      expect(event).to.include({ IsEdit: true })
      expect(event.Info).to.include({ Chat: news, ServerID: last().ServerID })
    }
    expect(onNetwork(news).Posts).to.have.length(before)
    const { data } = await ana.post('/newsletter/messages', { JID: news, Count: 1 })
    expect(data.Messages[0].Message).to.deep.equal({ extendedTextMessage: { text: 'hello' } })
  })

  it('edits of one post at once are answered each', async () => {
    const { Id } = (await post('at once')) as { Id: string }
    const answers = await Promise.all(['one', 'two', 'three'].map((text) => edit(shop, Id, text)))
    for (const answer of answers) expect(answer.status, answer.error).to.equal(200)
  })

  it('an own edit is logged as an edit', async () => {
    const own = await eventsOf(shop)
    const { data } = await shop.post('/send/text', { Phone: news, Body: 'frist' })
    await edit(shop, data.Id, 'first')
    // Events of the edits before may still come.
    const { event } = await own.wait('Message', ({ Info, Message }) => {
      const text = Message.protocolMessage?.editedMessage?.extendedTextMessage?.text
      return Info.Chat === news && Info.Edit === '1' && text === 'first'
    })
    expect(event.Message.protocolMessage.key).to.include({ ID: data.Id })
    await own.close()
  })

  const remove = (session: LinkedSession, Id: string) => session.post('/message/delete', { Phone: news, Id })

  it("the owner deletes a post, its own or the phone's: it is gone from the newsletter, and all hear of it", async () => {
    const own = (await shop.post('/send/text', { Phone: news, Body: 'too soon' })).data.Id as string
    const { Id: phones } = (await post('too late')) as { Id: string }
    const listed = async () =>
      (await ana.post('/newsletter/messages', { JID: news })).data.Messages.map(
        ({ MessageID }: { MessageID: string }) => MessageID,
      )
    expect(await listed()).to.include.members([own, phones])
    for (const Id of [own, phones]) {
      await told.wait('Message', ({ Info }) => Info.ID === Id)
      const { data, error } = await remove(shop, Id)
      expect(data, error).to.include({ Details: 'Deleted', Id })
      for (const phone of [bea, ana.phone, shop.phone])
        await eventually(
          () => phone.messages().some(({ id, attrs }) => id === Id && attrs['edit'] === '8'),
          'revoked on the phone',
        )
      const { event } = await told.wait('Message', ({ Info }) => Info.ID === Id && Info.Edit === '8')
      expect(event.Info).to.include({ Chat: news })
      expect(event.Message.protocolMessage).to.deep.include({ type: 'REVOKE' })
      expect(event.Message.protocolMessage.key).to.include({ ID: Id, remoteJID: news })
    }
    expect(await listed())
      .to.not.include.members([own])
      .and.not.include.members([phones])
  })

  it('refuses deletion of a post by others, and of an unknown post', async () => {
    const { Id } = (await post('stays')) as { Id: string }
    await told.wait('Message', ({ Info }) => Info.ID === Id)
    expect(await remove(ana, Id)).to.include({
      status: 403,
      error: 'WhatsApp refused: not allowed in this chat (403)',
    })
    const missing = await remove(shop, '3EB0NOTHING')
    expect(missing).to.include({ status: 404, error: 'Message not found' })
    expect(await remove(shop, 'a@b')).to.include({ status: 400, error: 'Invalid Id: must not contain an @' })
    const { data } = await ana.post('/newsletter/messages', { JID: news, Count: 1 })
    expect(data.Messages[0].MessageID).to.equal(Id)
  })

  it('refuses edits of a post by others, and of an unknown post', async () => {
    const { Id } = (await post('mine')) as { Id: string }
    const answer = await edit(ana, Id, 'yours')
    expect(answer).to.include({ status: 403, error: 'WhatsApp refused: not allowed in this chat (403)' })
    const missing = await edit(shop, '3EB0NOTHING', 'x')
    expect(missing).to.include({ status: 404, error: 'Message not found' })
    expect(await edit(shop, 'a@b', 'x')).to.include({
      status: 400,
      error: 'Invalid Id: must not contain an @',
    })
    const { data } = await ana.post('/newsletter/messages', { JID: news, Count: 1 })
    expect(data.Messages[0].Message).to.deep.equal({ conversation: 'mine' })
  })

  it('raises events for mute, leave and join on the phone', async () => {
    const { phone } = ana
    await act(phone, 'muteNewsletter')
    expect((await told.wait('NewsletterMuteChange')).event).to.deep.equal({ id: news, mute: 'on' })
    await act(phone, 'muteNewsletter', { Data: { Mute: false } })
    await told.wait('NewsletterMuteChange', ({ mute }) => mute === 'off')
    await act(phone, 'unfollowNewsletter')
    expect((await told.wait('NewsletterLeave')).event).to.deep.equal({ id: news, role: 'subscriber' })
    await act(phone, 'followNewsletter')
    const { event } = await told.wait('NewsletterJoin')
    expect(event).to.nested.include({
      id: news,
      'thread_metadata.invite': invite,
      'viewer_metadata.mute': 'off',
    })
  })

  it('renews live updates on a new link, but not after leaving', async () => {
    const made = await shop.post('/newsletter/create', { Name: 'More news' })
    // Asked for in this order: when the second is live again, the first would be too.
    const [left = '', kept = ''] = [news, made.data.id as string].sort()
    const isLive = (jid: string) => onNetwork(jid).Live.length === 1
    for (const JID of [left, kept]) await ana.post('/newsletter/subscribe', { JID })
    expect([isLive(left), isLive(kept)]).to.deep.equal([true, true])
    const leaves = () =>
      told.all.filter(({ type, event }) => type === 'NewsletterLeave' && event.id === left).length
    const before = leaves()
    await ana.phone.act({ Action: 'unfollowNewsletter', Chat: left })
    await eventually(() => leaves() > before, 'left')
    await ana.phone.act({ Action: 'followNewsletter', Chat: left })
    await ana.post('/session/disconnect')
    await eventually(() => !isLive(kept), 'off line')
    await ana.post('/session/connect', { Immediate: false })
    await eventually(() => isLive(kept), 'live')
    expect(isLive(left)).to.equal(false)
  })
})
