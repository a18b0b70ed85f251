import { children } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { Action } from '../actions/action.ts'

/** A call on the phone's screen. */
export interface ShownCall {
  readonly id: string
  /** JID of the other party, or of the group. */
  readonly chat: string
  readonly fromMe: boolean
  readonly isVideo: boolean
  state: 'ringing' | 'accepted' | 'rejected' | 'ended'
}

/** The last calls of a phone. */
export interface ShownCalls {
  /** Handles a `call` stanza; returns whether it changes a call. */
  receive(stanza: Stanza): boolean
  /** Records an action of the phone's user; returns whether it changes a call. */
  acted(action: Action, id: unknown): boolean
  all(): readonly ShownCall[]
}

const MAX_CALLS = 20
const STATES: Readonly<Record<string, ShownCall['state']>> = {
  accept: 'accepted',
  reject: 'rejected',
  terminate: 'ended',
  acceptCall: 'accepted',
  rejectCall: 'rejected',
  hangUp: 'ended',
}

export function createShownCalls(): ShownCalls {
  const calls = new Map<string, ShownCall>()

  function add(call: ShownCall): boolean {
    calls.set(call.id, call)
    if (calls.size > MAX_CALLS) calls.delete(calls.keys().next().value ?? '')
    return true
  }

  function change(id: string, name: string): boolean {
    const call = calls.get(id)
    const state = STATES[name]
    if (!call || !state) return false
    call.state = state
    return true
  }

  return {
    receive(stanza) {
      const [part] = children(stanza)
      if (stanza.tag !== 'call' || !part) return false
      const { 'call-id': id = '', 'group-jid': group } = part.attrs
      if (part.tag !== 'offer' && part.tag !== 'offer_notice') return change(id, part.tag)
      const isVideo = children(part, 'video').length > 0 || part.attrs['media'] === 'video'
      return add({ id, chat: group ?? stanza.attrs['from'] ?? '', fromMe: false, isVideo, state: 'ringing' })
    },
    acted({ Action, Chat = '', Id = '', Data }, id) {
      if (Action !== 'call') return change(Id, Action)
      const isVideo = Data?.['Video'] === true
      return add({ id: String(id), chat: Chat, fromMe: true, isVideo, state: 'ringing' })
    },
    all: () => [...calls.values()],
  }
}
