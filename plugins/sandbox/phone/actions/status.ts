import { type Action, type ActionParts, requireField } from './action.ts'
import { keyOf, targetOf } from './target.ts'

const STATUS = 'status@broadcast'

/** Posts `Text` as status, shown to `Participants`; `Id` is its id, or a random one. */
export async function postStatus(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const content = { extendedTextMessage: { text: requireField(action, 'Text') } }
  const message = parts.wire.proto.Message.fromObject(content)
  return {
    Id: await parts.sendMessage(STATUS, message, { id: action.Id, audience: audienceOf(parts, action) }),
  }
}

/** Deletes the own post `Id` for `Participants`, who should be those to whom it was shown. */
export async function revokeStatus(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const { Message } = parts.wire.proto
  const key = keyOf(targetOf(parts, action))
  const message = Message.fromObject({ protocolMessage: { key, type: Message.ProtocolMessage.Type.REVOKE } })
  const audience = audienceOf(parts, action)
  return { Id: await parts.sendMessage(STATUS, message, { audience, edit: '7' }) }
}

function audienceOf({ chatOf }: ActionParts, { Participants = [] }: Action) {
  return { jids: Participants.map(chatOf), setting: 'allowlist' }
}
