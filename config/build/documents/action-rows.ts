/** What an action of our own does on WhatsApp, beside the 118 endpoints of tables.ts. */
interface Action {
  readonly endpoint: `${'GET' | 'POST' | 'DELETE'} /${string}`
  /** What others, or the account's own phone, see of it. */
  readonly effect: string
  /** What is refused, with nothing changed. */
  readonly refused: string
  /** The events that report it. */
  readonly event: string
  /** Limits of WhatsApp's apps and of the network, as far as they are known. */
  readonly limits: string
}

/**
 * `method path | effect | refused | event | limits`. Each needs a test of its effect and one of a refusal
 * (test/support/run/proof.ts), and each route of these plugins that acts on WhatsApp needs a row (actions.test.ts).
 */
const ROWS = `
# Messages
POST /send/contacts | the other phone shows one message with all cards | 400 fewer than two cards, a card without a number | Message | none known
POST /send/event | members of the chat see the event and answer it; the sender sees the answers | 400 an end before the start, a newsletter, no name | Message | none known
POST /send/album | the other phone shows the pictures and videos as one group | 400 one file, an item that is no file or two; nothing is sent | Message for the album and for each file | 2 to 100 files
POST /message/edit | the other phone shows the new text or caption, marked as edited | 404 unknown message; 400 a message of others, a file without a caption | Message with Edit | 15 minutes after the message
POST /message/forward | the other phone shows the message as forwarded, and from five times on as forwarded many times | 404 unknown message; 400 polls, events, live locations, view-once, files to newsletters | Message | five chats at once in the apps, one when forwarded many times
POST /message/star | the own phone lists it under starred messages | 404 unknown message; 403 refused by the network | Star | none known
POST /message/unstar | the own phone no longer lists it | 404 unknown message; 403 refused by the network | Star | none known
POST /message/pin | everyone in the chat sees it pinned until the time is over | 404 unknown message; 400 other durations than 24h, 7d, 30d | Message with pinInChatMessage | three pins in a chat; 24 hours, 7 or 30 days
POST /message/unpin | everyone in the chat sees it unpinned | 404 unknown message | Message with pinInChatMessage | none
POST /message/keep | it stays in the disappearing chat, or disappears again | 404 unknown message; 400 one that does not disappear | KeepInChat | the sender may undo it
POST /message/markplayed | the sender sees the blue microphone | 404 unknown messages; 400 own ones, other kinds | none | not with read receipts off, except in groups
POST /message/vote | the author of the poll and the members see the vote; a later one replaces it, an empty one withdraws it; in a newsletter the network counts it | 400 other options, too many, none in a newsletter; 404 unknown poll | Message with pollUpdateMessage, none in newsletters | as many options as the poll allows
GET /polls/:id | counts the last vote of each person, and tells the right answer of a quiz | 404 unknown polls, and those of chats that the key does not see | none | votes of the last 90 days; those in newsletters are counted by WhatsApp alone
POST /message/event/respond | the author of the event sees the answer and the guests | 404 unknown event; 400 no event, another answer, guests where none are allowed | Message of type eventResponse | none known
POST /message/event/cancel | members see the event as cancelled | 404 unknown event; 400 events of others | Message with Edit | the author only
# Groups
GET /group/requests | lists who asks to join, as admins see it in the app | 403 not an admin | none | none
POST /group/requests/approve | the people named become members | 400 an empty list; 403 not an admin; each person with the outcome | GroupInfo | 1,024 members
POST /group/requests/reject | the request is gone, and may be made again | 400 an empty list; 403 not an admin; each person with the outcome | GroupInfo | none
POST /group/approval | who joins by link must be approved, or joins at once | 403 not an admin; 400 other values | GroupInfo | admins only
POST /group/memberadd | all members may add others, or admins only | 403 not an admin; 400 other values | GroupInfo | admins only
POST /group/inviteinfo | shows the group of a link without joining it | 404 unknown, revoked; 400 no code | none | none
POST /group/sendinvite | the person gets the invitation as a message, and joins by it | 400 no time; 403 not a member | Message | until the invitation expires
POST /group/acceptinvite | the account is a member of the group | 404 other messages, revoked invitations | JoinedGroup | until the invitation expires
POST /group/revokeinvite | the person can no longer use the invitation | 400 an empty list; 403 not an admin | none | admins only
POST /group/photo/remove | the group has no picture, for everyone | 403 a member of a locked group, strangers | Picture | none
# Newsletters
POST /newsletter/mute | the own phone shows it muted | 404 not followed | NewsletterMuteChange | none
POST /newsletter/unmute | the own phone shows it with sound | 404 not followed | NewsletterMuteChange | none
POST /newsletter/react | the count of the reaction is one higher; another replaces it, an empty one removes it | 404 unknown post | NewsletterLiveUpdate | one reaction a follower, from the emojis that the newsletter allows
POST /newsletter/search | finds newsletters of the public directory by their name | 400 no text | none | pages
POST /newsletter/directory | lists newsletters of the public directory | 400 an unknown view | none | pages
POST /newsletter/unfollow | the account follows it no longer | 404 not followed; 403 the owner | NewsletterLeave | none
POST /newsletter/photo | followers see the picture | 415 no picture; 403 neither owner nor admin | none | JPEG, cropped to a square of 640 pixels
POST /newsletter/photo/remove | followers see no picture | 403 neither owner nor admin | none | none
POST /newsletter/admin/invite | the person gets the invitation as a message | 403 not the owner | Message | 16 admins
POST /newsletter/admin/revoke | the invitation can no longer be accepted | 404 no invitation | none | the owner only
POST /newsletter/admin/accept | the account is an admin | 404 no invitation | none | none
POST /newsletter/admin/demote | the admin is a follower again | 502 no admin; 403 not the owner | none | the owner only
POST /newsletter/transfer | the admin is the owner, and the account an admin | 403 not the owner | none | the new owner must be an admin
# Status
POST /status/audio | those to whom it is sent hear it, on its colour | 415 no audio; 403 refused by the network | Message | 24 hours; one minute in the apps
GET /status/received | lists the posts of others of the last 24 hours | 400 a page that is too long, an author who is none | none | 24 hours
POST /status/read | the author sees the account among the viewers | 404 unknown posts | ReadReceipt of the own account | not with read receipts off
POST /status/mute | the own phone shows the contact's posts under muted ones | 403 refused by the network | UserStatusMute | none
POST /status/unmute | the own phone shows the contact's posts with the others | 403 refused by the network | UserStatusMute | none
GET /status/posted | lists the own posts with the number of recipients and viewers | 401 another token | none | 24 hours
GET /status/posted/:id | lists to whom a post was sent and who has seen it | 404 unknown post | none | viewers with read receipts only
POST /status/delete | it is gone for all to whom it was sent | 404 unknown post; 403 refused by the network | Message | 24 hours
# Account
POST /user/about | others see the about text | 400 too long; 403 refused by the network | none | 139 characters
POST /user/profile/remove | others see no picture | 403 refused by the network | Picture | none
POST /user/privacy | the setting holds on all devices and for others | 400 other values; 403 refused by the network; 409 changed meanwhile | PrivacySettings | see the values of each setting
GET /user/privacy/except | lists from whom the setting is hidden | 400 a setting without exceptions; 429 by the network | none | none
GET /user/username | reads the username that the phone has set, and whether it has a PIN | 429 by the network | UsernameChange, when another device sets it | none
POST /user/username | others see it, and find the account by it | 400 malformed; 409 taken; 403 refused by the network | none | 3 to 35 characters
DELETE /user/username | others see none, and may take it | 403 refused by the network | none | none
GET /user/username/available | tells whether it is free, and suggests others | 400 malformed; 429 by the network | none | none
POST /user/username/pin | others find the account by its username only with the PIN | 400 other than four digits; 404 no username; 403 refused by the network | none | four digits
POST /user/disappearing-timer | chats that the account begins have the timer | 400 other times; 403 refused by the network | PrivacySettings | off, 24 hours, 7 or 90 days
# Business accounts
POST /business/update/hours | others read the hours in the profile | 400 other days, modes and times; 403 not a business | none | minutes of a day; several ranges a day
POST /business/cover | the profile has the picture | 415 no picture; 403 not a business | none | JPEG or PNG
POST /business/cover/remove | the profile has no cover picture | 404 none; 403 not a business | none | none
POST /business/catalog/collections | lists the collections that the business has made in the app | 404 not a business; 400 a limit over 100 | none | 100 collections, 100 products each
GET /business/quickreplies | lists the quick replies that the phone has | 401 another token | none | none
POST /business/quickreplies | the phone has the quick reply, and suggests it | 404 unknown ones; 400 no text; 403 refused by the network | QuickReply | none known
POST /business/quickreplies/delete | the phone has it no longer | 404 unknown ones; 403 refused by the network | QuickReply | none
# Labels
GET /label/list | lists the labels that the phone has, with the number of chats and messages | 401 another token; 403 a key limited to chats | none | none
GET /label/find | lists the chats and messages of a label, and the labels of a chat | 400 no chat; 403 a chat that the key does not see | none | pages of 500
# Chats and calls
POST /chat/history | the own phone delivers older messages, as HistorySync | 404 unknown message; 400 more than 50; 429 by the network | HistorySync | 50 messages; while the phone is online
POST /call/reject | the caller hears that the call is rejected, and the own phone stops ringing | 404 unknown call | CallReject | while it rings
POST /call/link | people join a call in the apps by the link | 400 other media, a time that is none | none | none
`

/** By the heading that they stand under. */
export const actions: readonly { heading: string; actions: readonly Action[] }[] = ROWS.split(/^# /m)
  .map((part) => part.trim())
  .filter(Boolean)
  .map((part) => {
    const [heading = '', ...lines] = part.split('\n')
    return { heading, actions: lines.map(parse) }
  })

function parse(line: string): Action {
  const cells = line.split(' | ')
  if (cells.length !== 5) throw new Error(`five cells, please: ${line}`)
  const [endpoint, effect = '', refused = '', event = '', limits = ''] = cells
  return { endpoint: endpoint as Action['endpoint'], effect, refused, event, limits }
}
