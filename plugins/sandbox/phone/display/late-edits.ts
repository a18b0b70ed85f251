import type { GatewayServices } from 'wamux/plugin'
import type { Stored } from '../messages/store.ts'
import { pollIn, unwrap } from './content.ts'

/** AB 2983, `message_edit_window_duration_seconds`. */
const WINDOW_SECONDS = 1200

/** Whether it edits a message that is too old for it, by the times at which both were written; polls and events may always be edited. */
export function isLateEdit(
  { proto }: GatewayServices['wire'],
  { raw, timestamp }: Pick<Stored, 'raw' | 'timestamp'>,
  byId: (id: string) => Stored | undefined,
): boolean {
  const { key, type } = unwrap(raw).protocolMessage ?? {}
  const edited = type === proto.Message.ProtocolMessage.Type.MESSAGE_EDIT ? byId(key?.id ?? '') : undefined
  if (!edited || pollIn(edited.raw) || unwrap(edited.raw).eventMessage) return false
  return timestamp >= edited.timestamp + WINDOW_SECONDS
}
