import type { GatewayServices } from 'wamux/plugin'
import type { Slot } from '../../snapshots.ts'
import type { Proto } from '../messages/compose.ts'
import type { Stored } from '../messages/store.ts'
import { textOf, unwrap } from './content.ts'

/** Progress of a sent message. */
export type Tick = 'sent' | 'delivered' | 'read' | 'played' | 'refused'

/** Later changes of a message. People are given by phone number. */
interface Mark {
  reactions: Map<string, string>
  edit?: { by: string; text: string }
  revoked?: { by: string; asAdmin: boolean }
  /** Chosen options of a poll, or the answer to an event. */
  answers?: Map<string, readonly string[]>
  /** Options added to a poll. */
  added?: readonly string[]
  /** An event that its author has cancelled. */
  cancelledBy?: string
  /** Until when it is pinned, Unix seconds. */
  pinnedUntil?: number
}

/** Reactions, edits, revocations, pins and ticks by the id of their message. */
export interface Marks {
  /** Applies a message that changes another one; returns the id of the changed message. */
  apply(by: string, message: Pick<Stored, 'raw' | 'timestamp' | 'answer' | 'attrs'>): string | undefined
  /** Records a receipt; returns whether it changes the tick. */
  tick(id: string, tick: Tick): boolean
  of(id: string): Mark
  tickOf(id: string): Tick
}

const MAX_MARKS = 5_000
const ORDER: readonly Tick[] = ['sent', 'delivered', 'read', 'played', 'refused']
const NONE: Mark = { reactions: new Map() }

export function createMarks(wire: GatewayServices['wire'], slot: Slot): Marks {
  const marks = new Map<string, Mark>()
  const ticks = slot('ticks', () => new Map<string, Tick>())
  const { PIN_FOR_ALL, UNPIN_FOR_ALL } = wire.proto.Message.PinInChatMessage.Type
  const { REVOKE, MESSAGE_EDIT } = wire.proto.Message.ProtocolMessage.Type

  function markOf(id: string): Mark {
    const mark = marks.get(id) ?? { reactions: new Map() }
    put(marks, id, mark)
    return mark
  }

  function edited(id: string, by: string, content: Proto): void {
    const inner = unwrap(content)
    markOf(id).edit = { by, text: textOf(inner) }
    if (inner.eventMessage?.isCanceled) markOf(id).cancelledBy = by
  }

  /** Apps drop a pin without a duration (zapo src/client/messaging/messages.ts). */
  function pin(id: string, type: number | null | undefined, time: number, raw: Proto): string | undefined {
    const duration = raw.messageContextInfo?.messageAddOnDurationInSecs ?? 0
    if (type === UNPIN_FOR_ALL) delete markOf(id).pinnedUntil
    else if (type === PIN_FOR_ALL && duration > 0) markOf(id).pinnedUntil = time + duration
    else return undefined
    return id
  }

  return {
    apply(by, { raw, timestamp, answer, attrs }) {
      if (answer) {
        const mark = markOf(answer.to)
        if ('added' in answer) {
          mark.added = [...(mark.added ?? []), answer.added]
          return answer.to
        }
        mark.answers ??= new Map()
        mark.answers.set(by, 'options' in answer ? answer.options : [answer.response])
        return answer.to
      }
      const { reactionMessage, protocolMessage, pinInChatMessage } = unwrap(raw)
      const id = (reactionMessage ?? protocolMessage ?? pinInChatMessage)?.key?.id
      if (!id) return undefined
      if (pinInChatMessage) return pin(id, pinInChatMessage.type, timestamp, raw)
      if (reactionMessage) {
        const { reactions } = markOf(id)
        if (reactionMessage.text) reactions.set(by, reactionMessage.text)
        else reactions.delete(by)
        return id
      }
      if ((protocolMessage?.type ?? REVOKE) === REVOKE)
        markOf(id).revoked = { by, asAdmin: attrs['edit'] === '8' }
      else if (protocolMessage?.type === MESSAGE_EDIT && protocolMessage.editedMessage)
        edited(id, by, protocolMessage.editedMessage as Proto)
      else return undefined
      return id
    },
    tick(id, tick) {
      const now = ticks.get(id) ?? 'sent'
      if (ORDER.indexOf(tick) <= ORDER.indexOf(now)) return false
      put(ticks, id, tick)
      return true
    },
    of: (id) => marks.get(id) ?? NONE,
    tickOf: (id) => ticks.get(id) ?? 'sent',
  }
}

/** Sets an entry, and drops the oldest one when the map is full. */
function put<T>(map: Map<string, T>, id: string, value: T): void {
  map.delete(id)
  map.set(id, value)
  if (map.size <= MAX_MARKS) return
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}
