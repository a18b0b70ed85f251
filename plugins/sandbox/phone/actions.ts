import { randomBytes } from 'node:crypto'
import { gatewayError } from 'wamux/plugin'
import { bare, el, parseJid, seconds } from '../stanza.ts'
import type { Stanza } from '../types.ts'
import { type Action, type ActionParts, need } from './action.ts'
import { addProduct, placeOrder, setBusiness } from './business-actions.ts'
import { acceptCall, call, hangUp, rejectCall } from './call-actions.ts'
import { groupActions } from './group-actions.ts'
import {
  createNewsletter,
  followNewsletter,
  muteNewsletter,
  postNewsletter,
  reactNewsletter,
  unfollowNewsletter,
  viewNewsletter,
} from './newsletter-actions.ts'
import {
  addContact,
  removePicture,
  setAbout,
  setAudience,
  setPicture,
  setPrivacy,
  trust,
} from './profile-actions.ts'
import { settingActions } from './setting-actions.ts'
import { keyOf, targetOf } from './target.ts'
import { vote } from './vote.ts'

type Do = (parts: ActionParts, action: Action) => Promise<Record<string, unknown>> | Record<string, unknown>

const ACTIONS: Readonly<Record<string, Do>> = {
  read: (parts, action) => confirm(parts, action, 'read'),
  play: (parts, action) => confirm(parts, action, 'played'),
  vote,
  react,
  edit,
  revoke,
  typing: (parts, action) => chatState(parts, action, el('composing')),
  recording: (parts, action) => chatState(parts, action, el('composing', { media: 'audio' })),
  paused: (parts, action) => chatState(parts, action, el('paused')),
  online: (parts) => presence(parts, 'available'),
  offline: (parts) => presence(parts, 'unavailable'),
  switchOn: (parts) => power(parts, true),
  switchOff: (parts) => power(parts, false),
  clearStorage,
  subscribe,
  ...groupActions,
  block: (parts, action) => block(parts, action, 'block'),
  unblock: (parts, action) => block(parts, action, 'unblock'),
  setPicture,
  removePicture,
  setAbout,
  setPrivacy,
  setAudience,
  addContact,
  trust,
  unlink,
  setBusiness,
  addProduct,
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
  ...settingActions,
}

export const ACTION_NAMES = Object.keys(ACTIONS)

/** Does what a person does on a phone. Throws FIELD_INVALID for what this phone can't. */
export async function act(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const run = ACTIONS[action.Action]
  if (!run) throw gatewayError('FIELD_INVALID', ['Action', `must be one of ${ACTION_NAMES.join(', ')}`])
  return run(parts, action)
}

/** Marks messages as read or played: the one of `Id`, or everything in the chat. */
function confirm(parts: ActionParts, action: Action, type: 'read' | 'played'): Record<string, unknown> {
  const chats = sameChat(parts, need(action, 'Chat'))
  const ids: string[] = []
  for (const { id, chat, from, fromMe, attrs } of parts.messages()) {
    if (fromMe || !chats.has(chat) || (action.Id && action.Id !== id)) continue
    const participant = attrs['participant']
    parts.uplink.send(el('receipt', { id, to: attrs['from'] ?? from, participant, type, t: seconds() }))
    ids.push(id)
  }
  return { Read: ids }
}

async function react(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const target = targetOf(parts, action)
  const key = keyOf(target)
  const reactionMessage = { key, text: action.Text ?? '', senderTimestampMs: Date.now() }
  return {
    Id: await parts.sendMessage(target.chat, parts.wire.proto.Message.fromObject({ reactionMessage })),
  }
}

async function edit(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const target = targetOf(parts, action)
  const { MESSAGE_EDIT } = parts.wire.proto.Message.ProtocolMessage.Type
  const protocolMessage = {
    key: keyOf(target),
    type: MESSAGE_EDIT,
    editedMessage: { conversation: need(action, 'Text') },
    timestampMs: Date.now(),
  }
  return {
    Id: await parts.sendMessage(target.chat, parts.wire.proto.Message.fromObject({ protocolMessage }), '1'),
  }
}

async function revoke(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const target = targetOf(parts, action)
  const { REVOKE } = parts.wire.proto.Message.ProtocolMessage.Type
  const protocolMessage = { key: keyOf(target), type: REVOKE }
  return {
    Id: await parts.sendMessage(target.chat, parts.wire.proto.Message.fromObject({ protocolMessage }), '7'),
  }
}

function chatState({ uplink, chatOf }: ActionParts, action: Action, state: Stanza): Record<string, unknown> {
  uplink.send(el('chatstate', { to: chatOf(need(action, 'Chat')) }, [state]))
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
      to: chatOf(need(action, 'Chat')),
      id: randomBytes(4).toString('hex'),
    }),
  )
  return {}
}

function power({ uplink }: ActionParts, isOn: boolean): Record<string, unknown> {
  uplink.switch(isOn)
  return {}
}

/** Deletes the files of all messages; the messages stay. */
function clearStorage({ uplink }: ActionParts): Record<string, unknown> {
  uplink.clearStorage()
  return {}
}

async function block(
  { uplink, chatOf }: ActionParts,
  action: Action,
  change: string,
): Promise<Record<string, unknown>> {
  const item = el('item', { action: change, jid: chatOf(need(action, 'Chat')) })
  await uplink.query(el('iq', { xmlns: 'blocklist', type: 'set', to: 's.whatsapp.net' }, [item]))
  return {}
}

async function unlink({ uplink }: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const removed = el('remove-companion-device', { jid: need(action, 'Companion'), reason: 'user_initiated' })
  await uplink.query(el('iq', { xmlns: 'md', type: 'set', to: 's.whatsapp.net' }, [removed]))
  return {}
}

/** Both forms of a person's chat: it may have begun by phone number and gone on by LID. */
function sameChat({ network }: ActionParts, chat: string): Set<string> {
  if (parseJid(chat)?.server === 'g.us') return new Set([chat])
  const other = network.account(chat)
  return new Set(other ? [other.jid, other.lid] : [bare(chat)])
}
