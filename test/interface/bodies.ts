import type { Scene } from './scene.ts'

/**
 * What a route needs for a success:
 * `answer`: something that the network says to it; `linking`: the same, before the account is linked;
 * `login`: only that the link is open; `nothing`: it is answered here.
 */
export type Need = 'answer' | 'linking' | 'login' | 'nothing'

export interface Example {
  readonly needs: Need
  readonly body?: object
  /** Headers of the caller; those of the shop when absent. */
  readonly headers?: Readonly<Record<string, string>>
}

type Endpoint = `${'GET' | 'POST'} /${string}`

/** A request that succeeds, for every route of the interface, and what it needs from the network for that. */
export function examplesOf(scene: Scene): Readonly<Record<Endpoint, Example>> {
  const { ana, stranger, image, video, audio, link, community, newsletter, product, order } = scene
  const [group, street] = scene.groups
  const { phone: Phone, lid: LID } = ana.account
  const { admin } = scene
  const ask = (body?: object): Example => (body ? { needs: 'answer', body } : { needs: 'answer' })
  const here = (needs: Need, body?: object, headers?: Example['headers']): Example => ({
    needs,
    ...(body ? { body } : {}),
    ...(headers ? { headers } : {}),
  })
  const buttons = [{ DisplayText: 'Yes' }]
  const preview = { Phone, Text: 'look', Title: 'Page', Description: 'A page', Image: image }
  const pix = { Phone, Body: 'pay', PixKey: '5511999999999', PixType: 'PHONE' }
  const cards = [{ text: 'one' }, { text: 'two' }]
  const StatusJidList = [Phone]
  return {
    'POST /session/init': here('nothing', { Name: 'New' }, admin),
    'POST /session/connect': here('linking', { Immediate: false }, scene.fresh[0]),
    'GET /session/qr': here('linking', undefined, scene.fresh[1]),
    'POST /session/pair': here('linking', { Phone: stranger.account.phone }, scene.fresh[2]),
    'GET /session/status': here('nothing'),
    'POST /session/disconnect': here('nothing', {}, scene.spare[0].headers),
    'POST /session/logout': { needs: 'answer', headers: scene.spare[1].headers },
    'GET /session/all': here('nothing', undefined, admin),
    'POST /session/delete': here('nothing', {}, { ...admin, ...scene.spare[2].headers }),
    'POST /session/scanned': here('nothing', {}, admin),
    'POST /webhook': here('nothing', { WebhookURL: '' }),
    'GET /webhook': here('nothing'),
    'POST /send/text': ask({ Phone, Body: 'hello' }),
    'POST /send/image': ask({ Phone, Image: image }),
    'POST /send/audio': ask({ Phone, Audio: audio }),
    'POST /send/poll': ask({ Phone, Question: 'Which?', MaxAnswer: 1, Options: ['a', 'b'] }),
    'POST /send/document': ask({ Phone, Document: image, FileName: 'a.jpg' }),
    'POST /send/template': ask({ Phone, Content: 'hello', Buttons: buttons }),
    'POST /send/video': ask({ Phone, Video: video, JpegThumbnail: image }),
    'POST /send/sticker': ask({ Phone, Sticker: image }),
    'POST /send/location': ask({ Phone, Latitude: 0, Longitude: 0 }),
    'POST /send/contact': ask({ Phone, Vcard: { FullName: 'Ana', Phone } }),
    'POST /send/buttons': ask({
      Phone,
      Title: 'One',
      Content: 'two',
      Footer: 'three',
      Buttons: [{ text: 'Yes' }],
    }),
    'POST /send/mediabutton': ask({ Phone, Content: 'hello', Buttons: buttons, Type: 'image', Media: image }),
    'POST /send/mediaurl': ask({ Jid: Phone, Url: link, Type: 'image', Caption: '', Filename: '' }),
    'POST /send/list': ask({
      Phone,
      ButtonText: 'Open',
      Desc: 'text',
      TopText: 'top',
      List: [{ title: 'One' }],
    }),
    'POST /send/preview': ask({ ...preview, MatchedURL: 'https://example.com' }),
    'POST /send/preview2': ask({ ...preview, MatchedURL: 'https://example.com' }),
    'POST /send/groupinvite': ask({
      Phone,
      Text: 'come',
      MatchedText: `https://chat.whatsapp.com/${scene.invite}`,
      Title: 'Team',
    }),
    'POST /send/locationbutton': ask({ Phone, Body: 'where' }),
    'POST /send/pixbutton': ask(pix),
    'POST /send/reviewpay': ask({ ...pix, Items: [{ Name: 'Bread', Amount: 100 }] }),
    'POST /send/carousel': ask({ Phone, Body: 'cards', Carousel: cards }),
    'POST /send/carouselmedia': ask({
      Phone,
      Body: 'cards',
      Carousel: cards.map((card) => ({ ...card, media_url: image })),
    }),
    'POST /business/send/catalog': ask({ Phone, Text: 'all of it' }),
    'POST /bot/message': ask({ Body: 'hello' }),
    'GET /bot/list': ask(),
    'POST /user/info': ask({ Phone: [Phone] }),
    'POST /user/check': ask({ Phone: [Phone] }),
    'POST /user/avatar': ask({ Phone }),
    'GET /user/avatar': ask(),
    'GET /user/contacts': here('login'),
    'GET /user/privacy': ask(),
    'POST /user/block': ask({ Phone: stranger.account.phone }),
    'POST /user/unblock': ask({ Phone: stranger.account.phone }),
    'GET /user/blocklist': ask(),
    'POST /user/profile': ask({ Image: image }),
    'POST /user/name': ask({ Name: 'Shop' }),
    'POST /user/presence': ask({ Presence: 'available' }),
    'GET /user/limits': ask(),
    'POST /user/parselid': here('login', { LID }),
    'GET /user/appstate': ask(),
    'POST /contact/add': ask({ Phone, FullName: 'Ana Lima' }),
    'POST /contact/remove': ask({ Phone }),
    'POST /broadcast/listparticipants': here('login', { ID: '1234@broadcast' }),
    'POST /message/react': ask({ Phone, Body: '👍', Id: scene.received, IsFromMe: false }),
    'POST /message/presence': ask({ Phone, State: 'composing' }),
    'POST /message/markread': ask({ Id: [scene.received], Chat: Phone }),
    'POST /message/status': here('login', { Id: scene.sent }),
    'POST /message/delete': ask({ Phone, Id: scene.sent }),
    'POST /chat/pin': ask({ Chat: Phone }),
    'POST /chat/unpin': ask({ Chat: Phone }),
    'POST /chat/archive': ask({ Chat: Phone }),
    'POST /chat/mute': ask({ Chat: Phone }),
    'POST /chat/delete': ask({ Phone }),
    'POST /chat/read': ask({ Phone }),
    'POST /chat/unread': ask({ Phone }),
    'POST /chat/typing/start': ask({ Jid: Phone }),
    'POST /chat/typing/stop': ask({ Jid: Phone }),
    'POST /chat/recording/start': ask({ Jid: Phone }),
    'POST /chat/recording/stop': ask({ Jid: Phone }),
    'POST /chat/disappearing-timer': ask({ phone: Phone, timer: '24h' }),
    'GET /group/list': ask(),
    'GET /group/myall': ask(),
    'POST /group/create': ask({ GroupName: 'New', Participants: [Phone] }),
    'POST /group/info': ask({ GroupJID: group }),
    'POST /group/invitelink': ask({ GroupJID: group }),
    'POST /group/update': ask({ GroupJID: group, ParticipantJID: [Phone], Action: 'promote' }),
    'POST /group/name': ask({ GroupJID: group, Name: 'Crew' }),
    'POST /group/photo': ask({ GroupJID: group, Image: image }),
    'POST /group/description': ask({ GroupJID: group, Description: 'us' }),
    'POST /group/lock': ask({ GroupJID: group, Lock: true }),
    'POST /group/adminonly': ask({ GroupJID: group, AdminOnly: true }),
    'POST /group/join': ask({ Code: scene.invite }),
    'POST /group/leave': ask({ GroupId: scene.left }),
    'POST /community/create': ask({ CommunityName: 'Town' }),
    'POST /community/add': ask({ CommunityJID: community, GroupJID: [street] }),
    'POST /community/remove': ask({ CommunityJID: community, GroupJID: [street] }),
    'POST /newsletter/create': ask({ Name: 'Ours' }),
    'GET /newsletter/list': ask(),
    'POST /newsletter/info': ask({ JID: newsletter.JID }),
    'POST /newsletter/link': ask({ Code: newsletter.Code }),
    'POST /newsletter/subscribe': ask({ JID: newsletter.JID }),
    'POST /newsletter/messages': ask({ JID: newsletter.JID }),
    'POST /label/edit': ask({ labelid: '3', name: 'Paid' }),
    'POST /label/chat': ask({ jid: Phone, labelid: '3' }),
    'POST /unlabel/chat': ask({ jid: Phone, labelid: '3' }),
    'POST /label/message': ask({ jid: Phone, labelid: '3', messageid: scene.received }),
    'POST /unlabel/message': ask({ jid: Phone, labelid: '3', messageid: scene.received }),
    'POST /business/get/profile': ask({}),
    'GET /business/get/categories': ask(),
    'POST /business/update/desc': ask({ desc: 'Bread' }),
    'POST /business/update/address': ask({ address: 'Street 1' }),
    'POST /business/update/email': ask({ email: 'shop@example.com' }),
    'POST /business/catalog/list': ask({}),
    'POST /business/catalog/create': ask({ name: 'Roll', price: 500, currency: 'BRL' }),
    'POST /business/catalog/edit': ask({ id: product, price: 2000 }),
    'POST /business/catalog/info': ask({ id: product }),
    'POST /business/catalog/delete': ask({ id: scene.oldProduct }),
    'POST /business/catalog/hide': ask({ id: product }),
    'POST /business/catalog/show': ask({ id: product }),
    'POST /business/order/details': ask(order),
    'POST /status/text': ask({ Text: 'hello', StatusJidList }),
    'POST /status/image': ask({ Image: image, StatusJidList }),
    'POST /status/video': ask({ Video: video, JpegThumbnail: image, StatusJidList }),
    'GET /server/ok': here('nothing', undefined, {}),
    'POST /server/license': here('nothing', {}, admin),
    'GET /server/update': here('nothing', undefined, admin),
  }
}
