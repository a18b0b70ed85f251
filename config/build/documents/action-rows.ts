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
POST /send/contacts | the other phone shows all cards in one message | 400 fewer than two cards, a card without a number | Message | none known
POST /send/event | members see and answer the event; the sender sees the answers | 400 an end before the start, a newsletter, no name | Message | none known
POST /send/album | the other phone shows the files as one group | 400 one file, an item without a file or with two | Message for the album and each file | 2 to 100 files
POST /message/edit | the other phone shows the new text or caption, marked as edited | 404 unknown message; 400 a message of others, a file without a caption | Message with Edit | 15 minutes after the message
POST /message/forward | the other phone shows it as forwarded, from the fifth time as forwarded many times | 404 unknown message; 400 polls, events, live locations, view-once, files to newsletters | Message | in the apps five chats at once, later one
POST /message/star | the own phone lists it under starred messages | 404 unknown message; 403 by the network | Star | none known
POST /message/unstar | the own phone no longer lists it | 404 unknown message; 403 by the network | Star | none known
POST /message/pin | everyone in the chat sees it pinned for that time | 404 unknown message; 400 other durations | Message with pinInChatMessage | three pins per chat; 24h, 7d, 30d
POST /message/unpin | everyone in the chat sees it unpinned | 404 unknown message | Message with pinInChatMessage | none
POST /message/keep | it stays in the disappearing chat, or no longer does | 404 unknown message; 400 no disappearing message | KeepInChat | the sender may undo it
POST /message/markplayed | the sender sees the blue microphone | 404 unknown messages; 400 own messages, other kinds | none | not with read receipts off, except in groups
POST /message/vote | author and members see the vote; a later one replaces it, an empty one withdraws it; in a newsletter WhatsApp counts it | 400 unknown options, too many, none in a newsletter; 404 unknown poll | Message with pollUpdateMessage, none in newsletters | options as the poll allows
GET /polls/:id | counts each person's last vote; shows the correct answer of a quiz | 404 unknown polls, also of chats hidden from the key | none | votes of 90 days, none of newsletters
POST /message/event/respond | the author sees the answer and the guests | 404 unknown event; 400 no event, an unknown answer, guests where none are allowed | Message of type eventResponse | none known
POST /message/event/cancel | members see the event as cancelled | 404 unknown event; 400 events of others | Message with Edit | the author only
# Groups
GET /group/requests | lists the requests to join | 403 not an admin | none | none
POST /group/requests/approve | the people become members | 400 empty list; 403 not an admin | GroupInfo | 1,024 members
POST /group/requests/reject | the request is gone and can be repeated | 400 empty list; 403 not an admin | GroupInfo | none
POST /group/approval | people who join by link need approval, or no longer do | 403 not an admin; 400 other values | GroupInfo | admins only
POST /group/memberadd | all members may add others, or only admins | 403 not an admin; 400 other values | GroupInfo | admins only
POST /group/inviteinfo | shows the group of a link without joining | 404 unknown, revoked; 400 no code | none | none
POST /group/sendinvite | the person gets an invitation and can join with it | 400 no time; 403 not a member | Message | until the invitation expires
POST /group/acceptinvite | the account joins the group | 404 no or a revoked invitation | JoinedGroup | until the invitation expires
POST /group/revokeinvite | the invitation no longer works | 400 empty list; 403 not an admin | none | admins only
POST /group/photo/remove | everyone sees no picture | 403 not allowed to, not a member | Picture | none
# Newsletters
POST /newsletter/mute | the own phone shows it muted | 404 not followed | NewsletterMuteChange | none
POST /newsletter/unmute | the own phone shows it with sound | 404 not followed | NewsletterMuteChange | none
POST /newsletter/react | the reaction is counted; another replaces it, an empty one removes it | 404 unknown post | NewsletterLiveUpdate | one per follower, of the emojis that the newsletter allows
POST /newsletter/search | finds newsletters in the public directory by name | 400 no text | none | pages
POST /newsletter/directory | lists newsletters of the public directory | 400 an unknown view | none | pages
POST /newsletter/unfollow | the account no longer follows it | 404 not followed; 403 the owner | NewsletterLeave | none
POST /newsletter/photo | followers see the picture | 415 no picture; 403 neither owner nor admin | none | JPEG, cropped to 640 × 640 pixels
POST /newsletter/photo/remove | followers see no picture | 403 neither owner nor admin | none | none
POST /newsletter/admin/invite | the person gets an invitation | 403 not the owner | Message | 16 admins
POST /newsletter/admin/revoke | the invitation can no longer be accepted | 404 no invitation | none | the owner only
POST /newsletter/admin/accept | the account is an admin | 404 no invitation | none | none
POST /newsletter/admin/demote | the admin is a follower again | 502 no admin; 403 not the owner | none | the owner only
POST /newsletter/transfer | the admin becomes owner, the account an admin | 403 not the owner | none | the new owner must be an admin
# Status
POST /status/audio | recipients hear it, on its background colour | 415 no audio; 403 by the network | Message | 24 hours; one minute in the apps
GET /status/received | lists others' posts of 24 hours | 400 page too long, invalid author | none | 24 hours
POST /status/read | the author sees the account among the viewers | 404 unknown posts | ReadReceipt of the own account | not with read receipts off
POST /status/mute | the own phone shows the contact's posts as muted | 403 by the network | UserStatusMute | none
POST /status/unmute | the own phone shows them with the others again | 403 by the network | UserStatusMute | none
GET /status/posted | lists own posts with their numbers of recipients and viewers | 401 another token | none | 24 hours
GET /status/posted/:id | lists recipients and viewers of a post | 404 unknown post | none | viewers with read receipts only
POST /status/delete | it is gone for all recipients | 404 unknown post; 403 by the network | Message | 24 hours
# Account
POST /user/about | others see the about text | 400 too long; 403 by the network | none | 139 characters
POST /user/profile/remove | others see no picture | 403 by the network | Picture | none
POST /user/privacy | the setting applies on all devices and to others | 400 other values; 403 by the network; 409 changed meanwhile | PrivacySettings | see the values of each setting
GET /user/privacy/except | lists the people it is hidden from | 400 a setting without exceptions; 429 by the network | none | none
GET /user/username | shows the username and whether it has a PIN | 429 by the network | UsernameChange, when another device sets it | none
POST /user/username | others see it and find the account by it | 400 malformed; 409 taken; 403 by the network | none | 3 to 35 characters
DELETE /user/username | it is gone, and free for others | 403 by the network | none | none
GET /user/username/available | tells whether it is free; suggests others | 400 malformed; 429 by the network | none | none
POST /user/username/pin | others need the PIN to find the account by username | 400 not four digits; 404 no username; 403 by the network | none | four digits
POST /user/disappearing-timer | chats begun by the account have the timer | 400 other times; 403 by the network | PrivacySettings | off, 24 hours, 7 or 90 days
# Business accounts
POST /business/update/hours | others see the hours in the profile | 400 other days, modes and times; 403 not a business | none | minutes of a day; several ranges a day
POST /business/cover | the profile has the picture | 415 no picture; 403 not a business | none | JPEG or PNG
POST /business/cover/remove | the profile has no cover picture | 404 none; 403 not a business | none | none
POST /business/catalog/collections | lists the collections made in the app | 404 not a business; 400 a limit over 100 | none | 100 collections, 100 products each
GET /business/quickreplies | lists the phone's quick replies | 401 another token | none | none
POST /business/quickreplies | the phone suggests the quick reply | 404 unknown ones; 400 no text; 403 by the network | QuickReply | none known
POST /business/quickreplies/delete | the phone no longer has it | 404 unknown ones; 403 by the network | QuickReply | none
# Labels
GET /label/list | lists the phone's labels with their numbers of chats and messages | 401 another token; 403 a key limited to chats | none | none
GET /label/find | lists the chats and messages of a label, or the labels of a chat | 400 no chat; 403 a chat hidden from the key | none | pages of 500
# Chats and calls
POST /chat/history | the own phone delivers older messages | 404 unknown message; 400 more than 50; 429 by the network | HistorySync | 50 messages; the phone must be online
POST /call/reject | the call ends for the caller, and the own phone stops ringing | 404 unknown call | CallReject | while it rings
POST /call/link | people join a call in the apps with the link | 400 other media, invalid time | none | none
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
