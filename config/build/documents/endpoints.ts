/**
 * The interface, row by row: method and path, who may call, fields as `Name:type` with `!` where required.
 * Types: s string, b boolean, n number, i integer, o object, s[] and o[] arrays, so object or text, * any.
 * Every row must be a route with exactly these (table.test.ts).
 */
const ROWS = `
# sessions
POST /session/init            admin   Name:s Token:s Os:s
POST /session/connect         token   Subscribe:s[] Immediate:b Phone:s
POST /session/pair            token   Phone:s! Subscribe:s[] Immediate:b
GET  /session/qr              client
GET  /session/status          client
POST /session/disconnect      client
POST /session/logout          login
GET  /session/all             admin
POST /session/delete          admin
POST /session/scanned         admin
# webhook
POST /webhook                 token   WebhookURL:s!
GET  /webhook                 token
# sending
POST /send/text               login   Phone:s! Body:s! Id:s ContextInfo:o
POST /send/image              login   Phone:s! Image:s! Caption:s Id:s ContextInfo:o
POST /send/audio              login   Phone:s! Audio:s! Ptt:b Duration:n Id:s ContextInfo:o
POST /send/poll               login   Phone:s! Question:s! MaxAnswer:n! Options:s[]! ContextInfo:o
POST /send/document           login   Phone:s! Document:s! FileName:s! Caption:s Mimetype:s Id:s ContextInfo:o
POST /send/template           login   Phone:s! Content:s! Title:s Footer:s Buttons:o[]
POST /send/video              login   Phone:s! Video:s! Caption:s Id:s JpegThumbnail:s ContextInfo:o
POST /send/sticker            login   Phone:s! Sticker:s! Id:s PngThumbnail:s ContextInfo:o
POST /send/location           login   Phone:s! Latitude:n! Longitude:n! Name:s Id:s ContextInfo:o
POST /send/contact            login   Phone:s! Vcard:so! Id:s ContextInfo:o
POST /send/buttons            login   Phone:s! Title:s! Content:s! Footer:s! Buttons:o[]!
POST /send/mediabutton        login   Phone:s! Content:s! Buttons:o[]! Type:s! Media:s! Footer:s Title:s Filename:s MessageId:s
POST /send/mediaurl           login   Jid:s! Url:s! Type:s! Caption:s! Filename:s! Duration:n
POST /send/list               login   Phone:s! ButtonText:s! Desc:s! TopText:s! List:o[]!
POST /send/preview            login   Phone:s! Text:s! MatchedURL:s! Title:s! Description:s! Image:s!
POST /send/preview2           login   Phone:s! Text:s! MatchedURL:s! Title:s! Description:s! Image:s!
POST /send/groupinvite        login   Phone:s! Text:s! MatchedText:s! Title:s!
POST /send/locationbutton     login   Phone:s Body:s
POST /send/pixbutton          login   Phone:s! Body:s! PixKey:s! Title:s Footer:s MerchantName:s PixType:s
POST /send/reviewpay          login   Phone:s! Body:s! PixKey:s! Title:s Caption:s Footer:s MerchantName:s PixType:s Currency:s ReferenceID:s TotalValue:i TotalOffset:i Items:o[]
POST /send/carousel           login
POST /send/carouselmedia      login
POST /business/send/catalog   login   Phone:s Text:s MatchedText:s Title:s
# bots
POST /bot/message             login   Body:s PersonaID:s
GET  /bot/list                login
# users
POST /user/info               login   Phone:s[]!
POST /user/check              login   Phone:s[]!
POST /user/avatar             login   Phone:s! Preview:b
GET  /user/avatar             login
GET  /user/contacts           login
GET  /user/privacy            login
POST /user/block              login   Phone:s
POST /user/unblock            login   Phone:s
GET  /user/blocklist          login
POST /user/profile            login   Image:s!
POST /user/name               login   Name:s
POST /user/presence           login   Presence:s
GET  /user/limits             login
POST /user/parselid           login   LID:s
GET  /user/appstate           login
# contacts and broadcasts
POST /contact/add             login   Phone:s FirstName:s FullName:s SaveOnBook:b
POST /contact/remove          login   Phone:s
POST /broadcast/listparticipants login ID:s!
# messages
POST /message/react           login   Phone:s! Body:s! Id:s! IsFromMe:b!
POST /message/presence        login   Phone:s! State:s! Media:s
POST /message/markread        login   Id:s[]! Chat:s! Sender:s
POST /message/status          login   Id:s!
POST /message/delete          login
# chats
POST /chat/pin                login   Chat:s Pin:b
POST /chat/unpin              login   Chat:s
POST /chat/archive            login   Chat:s Archive:b
POST /chat/mute               login   Chat:s Mute:b Duration:n
POST /chat/delete             login   Phone:s
POST /chat/read               login   Phone:s
POST /chat/unread             login   Phone:s
POST /chat/typing/start       login   Jid:s
POST /chat/typing/stop        login   Jid:s
POST /chat/recording/start    login   Jid:s
POST /chat/recording/stop     login   Jid:s
POST /chat/disappearing-timer login   phone:s timer:s
# groups and communities
GET  /group/list              login
GET  /group/myall             login
POST /group/create            login   GroupName:s Participants:s[]
POST /group/info              login   GroupJID:s
POST /group/invitelink        login   GroupJID:s Reset:b
POST /group/update            login   GroupJID:s ParticipantJID:s[] Action:s
POST /group/name              login   GroupJID:s Name:s
POST /group/photo             login   GroupJID:s Image:s
POST /group/description       login   GroupJID:s Description:s
POST /group/lock              login   GroupJID:s Lock:b
POST /group/adminonly         login   GroupJID:s AdminOnly:b
POST /group/join              login   Code:s
POST /group/leave             login   GroupId:s
POST /community/create        login   CommunityName:s
POST /community/add           login   CommunityJID:s GroupJID:s[]
POST /community/remove        login   CommunityJID:s GroupJID:s[]
# newsletters
POST /newsletter/create       login   Name:s Description:s
GET  /newsletter/list         login
POST /newsletter/info         login   JID:s
POST /newsletter/link         login   Code:s Link:s
POST /newsletter/subscribe    login   JID:s
POST /newsletter/messages     login   JID:s Count:i BeforeID:s
# labels
POST /label/chat              login   jid:s labelid:s
POST /unlabel/chat            login   jid:s labelid:s
POST /label/message           login   jid:s labelid:s messageid:s
POST /unlabel/message         login   jid:s labelid:s messageid:s
POST /label/edit              login   labelid:s name:s color:n action:b
# business
POST /business/get/profile    login   jid:s
GET  /business/get/categories login
POST /business/update/desc    login   desc:s
POST /business/update/address login   address:s
POST /business/update/email   login   email:s
POST /business/catalog/list   login   jid:s
POST /business/catalog/create login
POST /business/catalog/edit   login   id:s
POST /business/catalog/info   login
POST /business/catalog/delete login
POST /business/catalog/show   login
POST /business/catalog/hide   login
POST /business/order/details  login   orderId:s
# status posts
POST /status/text             login   Text:s TextColor:i BackgroundColor:i Font:i
POST /status/image            login   Image:s Caption:s
POST /status/video            login   Video:s Caption:s
# server
GET  /server/ok               public
POST /server/license          admin
GET  /server/update           admin
`

export interface EndpointRow {
  method: 'GET' | 'POST'
  path: string
  access: string
  fields: { name: string; type: string; required: boolean }[]
}

export const table: readonly EndpointRow[] = ROWS.split('\n')
  .map((line) => line.trim())
  .filter((line) => line && !line.startsWith('#'))
  .map((line) => {
    const [method = '', path = '', access = '', ...fields] = line.split(/\s+/)
    return {
      method: method as EndpointRow['method'],
      path,
      access,
      fields: fields.map((field) => {
        const [name = '', type = ''] = field.replace('!', '').split(':')
        return { name, type, required: field.endsWith('!') }
      }),
    }
  })
