import { randomBytes } from 'node:crypto'
import { node, receivedContent } from 'wamux/messaging'
import { type GatewayServices, type LiveSession, systemViewer } from 'wamux/plugin'
import type { Phone } from '../phone/phone.ts'
import {
  ANA,
  BAND,
  EVENT,
  FLEETING,
  INVITATION,
  NEWS,
  OWN_EVENT,
  OWN_POST,
  POLL,
  POST,
  RECEIVED,
  RECEIVED_FILES,
  SENT,
  SHOP,
  STARTS,
} from './names.ts'

interface Talk {
  ana: Phone
  /** Absent if the sending plugin is off. */
  sender: GatewayServices['sender'] | undefined
  /** The shop's session. */
  session: LiveSession
}

/** A conversation between Ana and the shop: a text and a file of each kind from her, and an answer. */
export async function converse({ ana, sender, session }: Talk): Promise<void> {
  // An earlier start may have ended halfway.
  const isBegun = ana.messages().some(({ id }) => id === RECEIVED)
  if (!isBegun) await write(ana)
  // Sent like a client's message, since a plugin can't choose the id of its own messages.
  const request = { session, viewer: systemViewer(session.id), header: () => '' }
  const body = { Phone: ANA.phone, Id: SENT }
  await sender?.send('/send/text', { ...request, body }, () => ({ text: 'Good morning, Ana! Until noon.' }))
  const event = { ...request, body: { Phone: ANA.phone, Id: OWN_EVENT } }
  await sender?.send('/send/event', event, () => ({
    proto: {
      eventMessage: { name: 'Bread tasting', startTime: STARTS, isCanceled: false },
      messageContextInfo: { messageSecret: randomBytes(32) },
    },
  }))
  // Whom a post is shown to includes the account itself, whose phone shows it too.
  const audience = [`${ANA.phone}@s.whatsapp.net`, session.jid]
  const post = { ...request, body: { Phone: STATUS, Id: OWN_POST } }
  await sender?.send('/status/text', post, () => ({ text: 'Fresh bread from seven' }), {
    chat: STATUS,
    audience,
    nodes: [node('meta', { status_setting: 'allowlist' })],
  })
}

const STATUS = 'status@broadcast'

async function write(ana: Phone): Promise<void> {
  for (const Text of ['The market opens at eight.', 'Concert on Sunday.'])
    await ana.act({ Action: 'postNewsletter', Chat: NEWS.jid, Text })
  await ana.send(SHOP.phone, { Id: RECEIVED, Text: 'Good morning! Is there fresh bread?' })
  const options = ['Rye', 'Wheat'].map((optionName) => ({ optionName }))
  const pollCreationMessageV3 = { name: 'Which bread?', options, selectableOptionsCount: 1 }
  await ana.send(SHOP.phone, { Id: POLL, Message: { pollCreationMessageV3 } })
  const eventMessage = { name: 'Street party', startTime: STARTS, extraGuestsAllowed: true }
  await ana.send(SHOP.phone, { Id: EVENT, Message: { eventMessage } })
  const extendedTextMessage = { text: 'Until tomorrow only.', contextInfo: { expiration: 86_400 } }
  await ana.send(SHOP.phone, { Id: FLEETING, Message: { extendedTextMessage } })
  const { jid: groupJid, name: groupName, code: inviteCode } = BAND
  const groupInviteMessage = { groupJid, groupName, inviteCode, inviteExpiration: STARTS }
  await ana.send(SHOP.phone, { Id: INVITATION, Message: { groupInviteMessage } })
  await ana.act({
    Action: 'postStatus',
    Id: POST,
    Text: 'On my way to the market',
    Participants: [SHOP.phone],
  })
  for (const [kind, id] of Object.entries(RECEIVED_FILES))
    await ana.send(SHOP.phone, { Id: id, Message: receivedContent(kind as keyof typeof RECEIVED_FILES) })
  await ana.wait(({ id }) => id === RECEIVED_FILES.document && hasArrived(ana, id))
}

/** Whether the session has stored the message: its receipt then follows that of the shop's phone. */
function hasArrived({ receipts }: Phone, message: string): boolean {
  return receipts.filter(({ id }) => id === message).length > 1
}
