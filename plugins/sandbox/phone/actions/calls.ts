import { randomBytes } from 'node:crypto'
import { el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import { type Action, type ActionParts, requireField } from './action.ts'

type ActionResult = Record<string, unknown>

/** Starts a call to a person or group; `Data: { Video: true }` for video. Returns the id of the call. */
export function call(parts: ActionParts, action: Action): ActionResult {
  const id = randomBytes(16).toString('hex').toUpperCase()
  const isVideo = action.Data?.['Video'] === true
  const media = [el('audio', { enc: 'opus', rate: 16000 }), ...(isVideo ? [el('video')] : [])]
  sendCall(parts, action, el('offer', { 'call-id': id }, media))
  sendCall(parts, action, el('relaylatency', { 'call-id': id, latency: 33 }))
  return { Id: id }
}

/** Cancels or ends a call; `Data: { Reason: 'timeout' }` for an unanswered call. */
export function hangUp(parts: ActionParts, action: Action): ActionResult {
  const reason = action.Data?.['Reason']
  const attrs = { 'call-id': requireField(action, 'Id'), ...(reason ? { reason: String(reason) } : {}) }
  return sendCall(parts, action, el('terminate', attrs))
}

export function acceptCall(parts: ActionParts, action: Action): ActionResult {
  const attrs = { 'call-id': requireField(action, 'Id') }
  for (const tag of ['ringing', 'preaccept', 'transport', 'accept']) sendCall(parts, action, el(tag, attrs))
  return {}
}

export function rejectCall(parts: ActionParts, action: Action): ActionResult {
  return sendCall(parts, action, el('reject', { 'call-id': requireField(action, 'Id'), count: 0 }))
}

function sendCall({ uplink, chatOf }: ActionParts, action: Action, part: Stanza): ActionResult {
  const attrs = { to: chatOf(requireField(action, 'Chat')), id: randomBytes(8).toString('hex') }
  uplink.send(el('call', attrs, [part]))
  return {}
}
