import { gatewayError } from 'wamux/plugin'
import { el, seconds } from '../../stanza.ts'
import { openFile } from '../display/file.ts'
import { isViewOnce } from '../messages/kind.ts'
import type { Action, ActionParts } from './action.ts'
import { targetOf } from './target.ts'

/**
 * Opens a message that is viewed once, and returns its file. The sender is told by a receipt, as of a voice message that was played
 * [?]; afterwards nobody can open it. Its sender never can.
 */
export async function open(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
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
