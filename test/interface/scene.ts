import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { contributor } from '../support/events/contributor.ts'
import { picture } from '../support/picture.ts'
import { createProbe } from '../support/probe.ts'
import { voice } from '../support/samples.ts'
import { type FileServer, give, startFileServer } from '../support/servers/file-server.ts'
import { admin, type LinkedSession, startWorld, type World, type WorldOptions } from '../support/world.ts'

/** Everything that the bodies of the interface name, on a network where it exists. */
export interface Scene {
  readonly world: World
  /** A business with all that is below. */
  readonly shop: LinkedSession
  /** Sessions that no phone has linked; the clients of the second runs once `begin` is called. */
  readonly fresh: readonly [{ token: string }, { token: string }, { token: string }]
  /** Sessions that are linked, to be ended. */
  readonly spare: readonly [LinkedSession, LinkedSession, LinkedSession]
  readonly admin: typeof admin
  readonly ana: Phone
  /** On the network, and never written to. */
  readonly stranger: Phone
  /** Two of its own groups, one that it is invited to, and one to leave. */
  readonly groups: readonly [string, string]
  readonly invite: string
  readonly left: string
  readonly community: string
  readonly newsletter: { JID: string; Code: string }
  /** Two own ones, of which Ana administers the second, and hers that the shop is invited to administer. */
  readonly newsletters: readonly [string, string, string]
  readonly quickReply: string
  readonly product: string
  /** To be deleted. */
  readonly oldProduct: string
  readonly order: { orderId: string; token: string }
  /** Ids of messages with Ana. */
  readonly sent: string
  readonly received: string
  /** Ids of Ana's poll and event, of a message of hers that disappears, and of an own event. */
  readonly poll: string
  readonly event: string
  readonly fleeting: string
  readonly ownEvent: string
  readonly voice: string
  /** Ana's invitation to a group. */
  readonly invitation: string
  /** Status posts: one of Ana's, and an own one. */
  readonly post: string
  readonly ownPost: string
  /** Id of a call of Ana's that rings. */
  readonly call: string
  readonly image: string
  readonly video: string
  readonly audio: string
  /** Link of a picture. */
  readonly link: string
  begin(): Promise<unknown>
  stop(): Promise<void>
}

export async function startScene(options: WorldOptions = {}): Promise<Scene> {
  const probe = createProbe()
  const world = await startWorld({ ...options, extra: [probe.plugin, contributor] })
  const shop = await world.linked(await world.phone('Shop', { business: true }))
  const ana = await world.phone('Ana')
  const image = await picture()
  const files: FileServer = await startFileServer({
    '/a.jpg': give(image.split(',')[1] ?? '', 'image/jpeg'),
  })
  const made = async (path: string, body: object) => {
    const { data, error, status } = await shop.post(path, body)
    if (status !== 200) throw new Error(`${path}: ${status} ${error}`)
    return data
  }
  await probe.synced(shop)
  const { phone: number } = ana.account
  const group = async (GroupName: string): Promise<string> =>
    (await made('/group/create', { GroupName, Participants: [number] })).JID
  const product = async (name: string): Promise<string> =>
    (await made('/business/catalog/create', { name, price: 1000, currency: 'BRL' })).ID
  const hers = await ana.act({ Action: 'createGroup', Text: 'Hers', Participants: [number] })
  const link = await ana.act({ Action: 'invite', Chat: String(hers['JID']) })
  const news = await ana.act({ Action: 'createNewsletter', Text: 'News' })
  await ana.act({ Action: 'postNewsletter', Chat: String(news['JID']), Text: 'The market opens' })
  const { id: ownNews } = await made('/newsletter/create', { Name: 'Own news' })
  const { id: market } = await made('/newsletter/create', { Name: 'Market' })
  await made('/newsletter/admin/invite', { JID: market, Phone: number })
  await ana.act({ Action: 'acceptAdmin', Chat: market })
  const festival = String((await ana.act({ Action: 'createNewsletter', Text: 'Festival' }))['JID'])
  const helped = { Chat: festival, Text: 'Festival', Participants: [shop.phone.account.phone] }
  await ana.act({ Action: 'inviteAdmin', ...helped })
  const bread = await product('Bread')
  const { Id: sent } = await made('/send/text', { Phone: number, Body: 'hello' })
  await ana.wait(({ id }) => id === sent)
  const received = await ana.send(shop.phone.account.phone, { Text: 'hi' })
  await probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === received)
  const said = async (message: Record<string, unknown>): Promise<string> => {
    const id = await ana.send(shop.phone.account.phone, { Message: message })
    await probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === id)
    return id
  }
  const breads = ['Rye', 'Wheat'].map((optionName) => ({ optionName }))
  const poll = await said({
    pollCreationMessageV3: { name: 'Which?', options: breads, selectableOptionsCount: 1 },
  })
  const voiceNote = await said({ audioMessage: { ptt: true, mimetype: 'audio/ogg; codecs=opus' } })
  const event = await said({ eventMessage: { name: 'Party', startTime: 1_924_362_000 } })
  const fleeting = await said({
    extendedTextMessage: { text: 'soon gone', contextInfo: { expiration: 86_400 } },
  })
  const band = String((await ana.act({ Action: 'createGroup', Text: 'Band' }))['JID'])
  await shop.phone.act({ Action: 'groupPrivacy', Text: 'none' })
  const order = {
    Action: 'inviteToGroup',
    Chat: band,
    Text: 'Band',
    Participants: [shop.phone.account.phone],
  }
  const [{ Id: invitation } = { Id: '' }] = (await ana.act(order))['Invitations'] as { Id: string }[]
  await probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === invitation)
  await shop.phone.act({ Action: 'groupPrivacy', Text: 'all' })
  const shown = [shop.phone.account.phone]
  const post = String((await ana.act({ Action: 'postStatus', Text: 'hi', Participants: shown }))['Id'])
  await probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === post)
  const { Id: call } = await ana.act({ Action: 'call', Chat: shop.phone.account.phone })
  const { Id: ownPost } = await made('/status/text', { Text: 'open', StatusJidList: [number] })
  await probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === ownPost)
  const planned = { Phone: number, Name: 'Tasting', Start: '2030-12-24T18:00:00Z' }
  const { Id: ownEvent } = await made('/send/event', planned)
  const items = [{ id: bread, quantity: 1 }]
  await ana.act({ Action: 'placeOrder', Chat: shop.phone.account.phone, Text: 'please', Data: { items } })
  const ordered = await probe.event('Message', ({ Message }) => 'orderMessage' in (Message as object))
  const { orderMessage } = (ordered.body['event'] as { Message: { orderMessage: Record<string, string> } })
    .Message
  for (const phone of [ana, shop.phone]) await phone.act({ Action: 'setPicture', Data: { Image: image } })
  const fresh = async () => {
    const { data } = await world.gateway.post('/session/init', { Name: 'Fresh' }, admin)
    return { token: data.Token as string }
  }
  const waiting = await fresh()
  const linked = async (name: string) => world.linked(await world.phone(name))
  return {
    world,
    shop,
    fresh: [await fresh(), waiting, await fresh()],
    spare: [await linked('One'), await linked('Two'), await linked('Three')],
    admin,
    ana,
    stranger: await world.phone('Stranger'),
    groups: [await group('Team'), await group('Street')],
    invite: String(link['Code']),
    left: await group('Old'),
    community: (await made('/community/create', { CommunityName: 'Village' })).JID,
    newsletter: { JID: String(news['JID']), Code: String(news['Invite']) },
    newsletters: [ownNews, market, festival],
    quickReply: (await made('/business/quickreplies', { Shortcut: 'hi', Message: 'Hello' })).ID,
    product: bread,
    oldProduct: await product('Cake'),
    order: { orderId: orderMessage['orderID'] ?? '', token: orderMessage['token'] ?? '' },
    sent,
    received,
    poll,
    event,
    fleeting,
    ownEvent,
    voice: voiceNote,
    invitation,
    post,
    ownPost,
    call: String(call),
    image,
    video: `data:video/mp4;base64,${FILM.toString('base64')}`,
    audio: `data:audio/ogg;base64,${voice(1)}`,
    link: `${files.url}/a.jpg`,
    begin: () => world.gateway.post('/session/connect', {}, waiting),
    async stop() {
      await files.close()
      await world.stop()
    },
  }
}

const FILM = Buffer.concat([
  Buffer.from([0, 0, 0, 24]),
  Buffer.from('ftypisom\0\0\0\0isommp42'),
  Buffer.alloc(64),
])
