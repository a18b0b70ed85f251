import { randomBytes } from 'node:crypto'
import { el } from '../stanza.ts'
import type { Stanza } from '../types.ts'
import { type Action, type ActionParts, need } from './action.ts'

type Result = Record<string, unknown>

/** Calls a person or a group, with `Data: { Video: true }` by video. Answers the id of the call. */
export function call(parts: ActionParts, action: Action): Result {
  const id = randomBytes(16).toString('hex').toUpperCase()
  const isVideo = action.Data?.['Video'] === true
  const media = [el('audio', { enc: 'opus', rate: 16000 }), ...(isVideo ? [el('video')] : [])]
  say(parts, action, el('offer', { 'call-id': id }, media))
  say(parts, action, el('relaylatency', { 'call-id': id, latency: 33 }))
  return { Id: id }
}

/** The caller gives up, or anyone ends the call; `Data: { Reason: 'timeout' }` when nobody answered. */
export function hangUp(parts: ActionParts, action: Action): Result {
  const reason = action.Data?.['Reason']
  const attrs = { 'call-id': need(action, 'Id'), ...(reason ? { reason: String(reason) } : {}) }
  return say(parts, action, el('terminate', attrs))
}

export function acceptCall(parts: ActionParts, action: Action): Result {
  const attrs = { 'call-id': need(action, 'Id') }
  for (const tag of ['ringing', 'preaccept', 'transport', 'accept']) say(parts, action, el(tag, attrs))
  return {}
}

export function rejectCall(parts: ActionParts, action: Action): Result {
  return say(parts, action, el('reject', { 'call-id': need(action, 'Id'), count: 0 }))
}

function say({ uplink, chatOf }: ActionParts, action: Action, part: Stanza): Result {
  const attrs = { to: chatOf(need(action, 'Chat')), id: randomBytes(8).toString('hex') }
  uplink.send(el('call', attrs, [part]))
  return {}
}
