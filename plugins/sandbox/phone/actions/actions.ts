import { randomBytes } from 'node:crypto'
import { gatewayError } from 'wamux/plugin'
import { bare, el, parseJid, seconds } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import { openFile } from '../display/file.ts'
import { bundleOf } from '../messages/group-history.ts'
import { isViewOnce } from '../messages/kind.ts'
import { type Action, type ActionParts, requireField } from './action.ts'
import { answerEvent, comment, react } from './additions.ts'
import { writeFromAd } from './ads.ts'
import { addCollection, addProduct, hostBusiness, placeOrder, setBusiness } from './business.ts'
import { edit, editEvent, editPoll } from './edits.ts'
import { groupActions } from './groups.ts'
import { addHostedDevice, removeHostedDevice, writeFromHosted } from './hosted.ts'
import {
  acceptAdmin,
  createNewsletter,
  followNewsletter,
  inviteAdmin,
  muteNewsletter,
  postNewsletter,
  reactNewsletter,
  unfollowNewsletter,
  viewNewsletter,
  voteNewsletter,
} from './newsletters.ts'
import { addOption, poll, vote } from './polls.ts'
import {
  addContact,
  hideFrom,
  migrate,
  reassign,
  removePicture,
  setAbout,
  setAudience,
  setDisappearing,
  setPicture,
  setPrivacy,
  setUsername,
  setUsernamePin,
  trust,
} from './profile.ts'
import { removeCompanion } from './remove-companion.ts'
import { settingActions } from './settings.ts'
import { keyOf, targetOf } from './target.ts'
import { keep, pinMessage, setTimer } from './timers.ts'

const STATUS = 'status@broadcast'

/** Posts `Text` as status, shown to `Participants`; `Id` is its id, or a random one. */
async function postStatus(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const content = { extendedTextMessage: { text: requireField(action, 'Text') } }
  const message = parts.wire.proto.Message.fromObject(content)
  return {
    Id: await parts.sendMessage(STATUS, message, { id: action.Id, audience: audienceOf(parts, action) }),
  }
}

/** Deletes the own post `Id` for `Participants`, who should be those to whom it was shown. */
async function revokeStatus(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const { Message } = parts.wire.proto
  const key = keyOf(targetOf(parts, action))
  const message = Message.fromObject({ protocolMessage: { key, type: Message.ProtocolMessage.Type.REVOKE } })
  const audience = audienceOf(parts, action)
  return { Id: await parts.sendMessage(STATUS, message, { audience, edit: '7' }) }
}

function audienceOf({ chatOf }: ActionParts, { Participants = [] }: Action) {
  return { jids: Participants.map(chatOf), setting: 'allowlist' }
}

const FIELDS = {
  Latitude: 'degreesLatitude',
  Longitude: 'degreesLongitude',
  Accuracy: 'accuracyInMeters',
  Speed: 'speedInMps',
  Heading: 'degreesClockwiseFromMagneticNorth',
  Sequence: 'sequenceNumber',
  Age: 'timeOffset',
} as const

/**
 * Begins to share its live location with the caption `Text`: `Data` has the fields above. Only the message with the first position is
 * sent: no client that was read knows how later ones reach other phones.
 */
async function shareLiveLocation(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const given = Object.entries(FIELDS).flatMap(([name, field]) => {
    const value = action.Data?.[name]
    return value === undefined ? [] : [[field, Number(value)]]
  })
  const liveLocationMessage = { ...Object.fromEntries(given), caption: action.Text ?? '' }
  const message = parts.wire.proto.Message.fromObject({ liveLocationMessage })
  return { Id: await parts.sendMessage(parts.chatOf(requireField(action, 'Chat')), message) }
}

type ActionHandler = (
  parts: ActionParts,
  action: Action,
) => Promise<Record<string, unknown>> | Record<string, unknown>

const ACTIONS: Readonly<Record<string, ActionHandler>> = {
  read: (parts, action) => sendReceipts(parts, action, 'read'),
  play: (parts, action) => sendReceipts(parts, action, 'played'),
  open,
  askAgain,
  poll,
  vote,
  addOption,
  shareLiveLocation,
  react,
  writeFromAd,
  postStatus,
  revokeStatus,
  comment,
  edit,
  editEvent,
  editPoll,
  answerEvent,
  revoke,
  keep,
  pinMessage,
  setTimer,
  typing: (parts, action) => chatState(parts, action, el('composing')),
  recording: (parts, action) => chatState(parts, action, el('composing', { media: 'audio' })),
  paused: (parts, action) => chatState(parts, action, el('paused')),
  online: (parts) => presence(parts, 'available'),
  offline: (parts) => presence(parts, 'unavailable'),
  switchOn: (parts) => setOnline(parts, true),
  switchOff: (parts) => setOnline(parts, false),
  clearStorage,
  announceIdentity({ network, account }) {
    network.announceIdentity(account)
    return {}
  },
  renewKeyIndexes({ keyIndexes }) {
    keyIndexes.renew()
    return {}
  },
  subscribe,
  ...groupActions,
  shareHistory,
  shareKeys,
  block: (parts, action) => block(parts, action, 'block'),
  unblock: (parts, action) => block(parts, action, 'unblock'),
  setPicture,
  removePicture,
  setAbout,
  setUsername,
  setUsernamePin,
  setPrivacy,
  hideFrom,
  migrate,
  reassign,
  setDisappearing,
  setAudience,
  addContact,
  trust,
  unlink: (parts, action) => removeCompanion(parts, requireField(action, 'Companion')),
  setBusiness,
  hostBusiness,
  addHostedDevice,
  removeHostedDevice,
  writeFromHosted,
  addProduct,
  addCollection,
  placeOrder,
  call,
  hangUp,
  acceptCall,
  rejectCall,
  createNewsletter,
  followNewsletter,
  unfollowNewsletter,
  muteNewsletter,
  postNewsletter,
  viewNewsletter,
  reactNewsletter,
  voteNewsletter,
  inviteAdmin,
  acceptAdmin,
  ...settingActions,
}

export const ACTION_NAMES = Object.keys(ACTIONS)

/** Runs an action of a phone's user. Throws FIELD_INVALID for an unknown action. */
export async function runAction(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const run = ACTION_NAMES.includes(action.Action) ? ACTIONS[action.Action] : undefined
  if (!run) throw gatewayError('FIELD_INVALID', ['Action', `must be one of ${ACTION_NAMES.join(', ')}`])
  return run(parts, action)
}

/**
 * Marks messages as read or played: the one with `Id`, or all messages of the chat. With read receipts off only the account's own
 * devices are told, except in groups (WR receipt.rs build_read_receipt_node, build_played_receipt_node).
 */
function sendReceipts(parts: ActionParts, action: Action, type: 'read' | 'played'): Record<string, unknown> {
  const chats = chatJids(parts, requireField(action, 'Chat'))
  const { readreceipts } = parts.network.viewAccount(parts.account)['Privacy'] as Record<string, string>
  const ids: string[] = []
  for (const { id, chat, from, fromMe, isShared, attrs } of parts.messages()) {
    if (fromMe || isShared || !chats.has(chat) || (action.Id && action.Id !== id)) continue
    const participant = attrs['participant']
    const to = attrs['from'] ?? from
    const isSilent = readreceipts === 'none' && !/@(g\.us|broadcast)$/.test(to)
    const attributes = { id, to, participant, type: isSilent ? `${type}-self` : type, t: seconds() }
    parts.uplink.send(el('receipt', attributes))
    ids.push(id)
  }
  return { Read: ids }
}

/** Requests any message again, as if it could not be decrypted, even one that the device never sent to this phone. */
function askAgain({ uplink }: ActionParts, action: Action): Record<string, unknown> {
  const [id, to] = [requireField(action, 'Id'), requireField(action, 'Companion')]
  const retry = el('retry', { count: 1, id, t: seconds(), v: 1 })
  // The registration does not matter: the device resends over its session.
  const registration = el('registration', {}, Buffer.alloc(4))
  uplink.send(el('receipt', { id, to, type: 'retry', t: seconds() }, [retry, registration]))
  return {}
}

async function revoke(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const target = targetOf(parts, action)
  const { REVOKE } = parts.wire.proto.Message.ProtocolMessage.Type
  const protocolMessage = { key: keyOf(target), type: REVOKE }
  // Of another member: as an admin.
  const edit = target.fromMe ? '7' : '8'
  const message = parts.wire.proto.Message.fromObject({ protocolMessage })
  return { Id: await parts.sendMessage(target.chat, message, { edit }) }
}

function chatState({ uplink, chatOf }: ActionParts, action: Action, state: Stanza): Record<string, unknown> {
  uplink.send(el('chatstate', { to: chatOf(requireField(action, 'Chat')) }, [state]))
  return {}
}

function presence({ uplink, account }: ActionParts, type: string): Record<string, unknown> {
  uplink.send(el('presence', { type, name: account.name }))
  return {}
}

function subscribe({ uplink, chatOf }: ActionParts, action: Action): Record<string, unknown> {
  uplink.send(
    el('presence', {
      type: 'subscribe',
      to: chatOf(requireField(action, 'Chat')),
      id: randomBytes(4).toString('hex'),
    }),
  )
  return {}
}

function setOnline({ uplink }: ActionParts, isOn: boolean): Record<string, unknown> {
  uplink.setOnline(isOn)
  return {}
}

/** Deletes the files of all messages, but not the messages. */
function clearStorage({ uplink }: ActionParts): Record<string, unknown> {
  uplink.clearStorage()
  return {}
}

async function block(
  { uplink, network, chatOf }: ActionParts,
  action: Action,
  change: string,
): Promise<Record<string, unknown>> {
  const { lid: jid, jid: pn_jid, hidesNumber } = network.account(chatOf(requireField(action, 'Chat'))) ?? {}
  const named = hidesNumber ? { unknown_identifier: 'true' } : { pn_jid }
  const item = el('item', { action: change, jid, ...(change === 'block' ? named : {}) })
  await uplink.query(el('iq', { xmlns: 'blocklist', type: 'set', to: 's.whatsapp.net' }, [item]))
  return {}
}

/** Both JIDs of a person's chat, which may have messages under phone number and LID. */
function chatJids({ network }: ActionParts, chat: string): Set<string> {
  if (parseJid(chat)?.server === 'g.us') return new Set([chat])
  const other = network.account(chat)
  return new Set(other ? [other.jid, other.lid] : [bare(chat)])
}

/**
 * Opens a message that is viewed once, and returns its file. The sender is told by a receipt, as of a voice message that was played
 * [?]; afterwards nobody can open it. Its sender never can.
 */
async function open(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const { uplink, wire, opened } = parts
  const target = targetOf(parts, action)
  const { id, raw, fromMe, from, attrs } = target
  if (!isViewOnce(raw) || fromMe)
    throw gatewayError('FIELD_INVALID', ['Id', 'is not a message of somebody else that is viewed once'])
  if (opened.has(id)) throw gatewayError('ITEM_UNKNOWN', ['File'])
  const { mimetype, data } = await openFile(wire, uplink, raw)
  opened.add(id)
  const { from: to = from, participant } = attrs
  uplink.send(el('receipt', { id, to, participant, type: 'played', t: seconds() }))
  return { Mimetype: mimetype, Data: data.toString('base64') }
}

type ActionResult = Record<string, unknown>

/** Starts a call to a person or group; `Data: { Video: true }` for video. Returns the id of the call. */
function call(parts: ActionParts, action: Action): ActionResult {
  const id = randomBytes(16).toString('hex').toUpperCase()
  const isVideo = action.Data?.['Video'] === true
  const media = [el('audio', { enc: 'opus', rate: 16000 }), ...(isVideo ? [el('video')] : [])]
  sendCall(parts, action, el('offer', { 'call-id': id }, media))
  sendCall(parts, action, el('relaylatency', { 'call-id': id, latency: 33 }))
  return { Id: id }
}

/** Cancels or ends a call; `Data: { Reason: 'timeout' }` for an unanswered call. */
function hangUp(parts: ActionParts, action: Action): ActionResult {
  const reason = action.Data?.['Reason']
  const attrs = { 'call-id': requireField(action, 'Id'), ...(reason ? { reason: String(reason) } : {}) }
  return sendCall(parts, action, el('terminate', attrs))
}

function acceptCall(parts: ActionParts, action: Action): ActionResult {
  const attrs = { 'call-id': requireField(action, 'Id') }
  for (const tag of ['ringing', 'preaccept', 'transport', 'accept']) sendCall(parts, action, el(tag, attrs))
  return {}
}

function rejectCall(parts: ActionParts, action: Action): ActionResult {
  return sendCall(parts, action, el('reject', { 'call-id': requireField(action, 'Id'), count: 0 }))
}

function sendCall({ uplink, chatOf }: ActionParts, action: Action, part: Stanza): ActionResult {
  const attrs = { to: chatOf(requireField(action, 'Chat')), id: randomBytes(8).toString('hex') }
  uplink.send(el('call', attrs, [part]))
  return {}
}

/**
 * Shares the newest messages of a group with members (`Participants`), as a phone offers it to an admin who adds somebody: at most 100,
 * or `Data.Count`. The network refuses it unless the account may do so (AB prop 15313).
 */
async function shareHistory(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const chat = requireField(action, 'Chat')
  const { Participants = [], Data } = action
  const receivers = Participants.map((who) => parts.network.account(who)?.lid ?? who)
  const stored = parts.messages().filter((message) => message.chat === chat)
  const count = Data?.['Count']
  const shared = { receivers, ...(typeof count === 'number' ? { count } : {}) }
  const { bundle, notice } = await bundleOf(parts, stored, shared)
  const Id = await parts.sendMessage(chat, bundle)
  await parts.sendMessage(chat, notice)
  return { Id }
}

/**
 * Shares the keys of this account's settings with another account, as only the own phone may: clients ignore it. `Data.Wrapped`
 * sends it as the copy of a message that an own device has written.
 */
async function shareKeys(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const chat = parts.chatOf(requireField(action, 'Chat'))
  const { Message } = parts.wire.proto
  const type = Message.ProtocolMessage.Type.APP_STATE_SYNC_KEY_SHARE
  const share = { protocolMessage: { type, appStateSyncKeyShare: parts.settings.keyShare() } }
  const isWrapped = action.Data?.['Wrapped'] === true
  const message = isWrapped ? { deviceSentMessage: { destinationJid: chat, message: share } } : share
  const { keys } = Message.AppStateSyncKeyShare.fromObject(parts.settings.keyShare())
  return {
    Id: await parts.sendMessage(chat, Message.fromObject(message)),
    Keys: keys.map(({ keyId }) => Buffer.from(keyId?.keyId ?? []).toString('base64')),
  }
}
