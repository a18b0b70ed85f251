import { gatewayError } from 'wamux/plugin'
import { newSecret, sealAddition, type UseCase } from '../messages/additions.ts'
import type { Proto } from '../messages/compose.ts'
import { editOf, secretOf } from '../messages/secrets.ts'
import type { Stored } from '../messages/store.ts'
import { type Action, type ActionParts, requireField } from './action.ts'
import { keyOf, targetOf } from './target.ts'

/** SecretEncType. `Poll Edit` is missing in Baileys' protobuf. */
const TYPES = { 'Event Edit': 1, 'Message Edit': 2, 'Poll Edit': 4 } as const

type Content = Record<string, unknown>

/** Edits the text of a message. */
export async function edit(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const target = targetOf(parts, action)
  return sendEdit(parts, action, target, 'Message Edit', { conversation: requireField(action, 'Text') })
}

/** Edits an event; `Text` is its new name, `Data` has other fields of an eventMessage. */
export async function editEvent(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const target = targetOf(parts, action)
  const { eventMessage } = target.raw
  if (!eventMessage) throw gatewayError('FIELD_INVALID', ['Id', 'is not an event'])
  const changed = { ...eventMessage, ...action.Data, name: action.Text ?? eventMessage.name }
  return sendEdit(parts, action, target, 'Event Edit', { eventMessage: changed })
}

/** Edits the question of a poll. */
export async function editPoll(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const target = targetOf(parts, action)
  const [field, poll] =
    Object.entries(target.raw).find(([name, value]) => name.startsWith('pollCreationMessage') && value) ?? []
  if (!field) throw gatewayError('FIELD_INVALID', ['Id', 'is not a poll'])
  const changed = { ...(poll as object), name: requireField(action, 'Text') }
  return sendEdit(parts, action, target, 'Poll Edit', { [field]: changed })
}

/**
 * Sends an edit, sealed under the newest secret of its message and with the secret for the next edit: by turns within the sealed
 * content and beside it, since the sources differ; `Data.Secret` (`within`, `beside`) selects one. Messages without a secret, and
 * newsletter posts, are edited in plain form. `Data.Form` (`pn`, `lid`) selects the JIDs used to seal it.
 */
async function sendEdit(
  parts: ActionParts,
  { Data = {} }: Action,
  target: Stored,
  use: keyof typeof TYPES,
  content: Content,
): Promise<Record<string, unknown>> {
  const { wire, account, network } = parts
  const { Message } = wire.proto
  const key = keyOf(target)
  const habits = network.habits()
  const secret = secretOf(parts.messages(), target)
  if (!secret || habits.legacyEdits) {
    const plain = editOf(wire, key, Message.fromObject(content))
    return { Id: await parts.sendMessage(target.chat, plain, { edit: '1' }) }
  }
  const next = { messageContextInfo: { messageSecret: newSecret() } }
  const raw = editOf(wire, key, Message.fromObject({ ...content, ...next }))
  const isPn = (Data['Form'] ?? habits.editForm) === 'pn'
  const by = isPn ? account.jid : account.lid
  const isBeside = (Data['Secret'] ?? nextPlace(parts)) === 'beside'
  const { messageContextInfo: _, ...bare } = raw
  const inner = use === 'Message Edit' ? bare : content
  const sealed = sealAddition(
    secret,
    { use: use satisfies UseCase, parent: target.id, author: by, by },
    Message.encode(Message.fromObject({ ...inner, ...(isBeside ? {} : next) })).finish(),
  )
  const secretEncryptedMessage = { targetMessageKey: key, ...sealed, secretEncType: TYPES[use] }
  return {
    Id: await parts.sendMessage(target.chat, raw, {
      edit: '1',
      envelope: envelope(parts, { secretEncryptedMessage, ...(isBeside ? next : {}) }),
    }),
  }
}

function nextPlace({ messages }: ActionParts): string {
  const earlier = messages().filter(({ fromMe, envelope }) => fromMe && envelope)
  return earlier.length % 2 === 0 ? 'within' : 'beside'
}

/** The message sent instead of the content, which the phone itself stores. */
export function envelope({ wire }: Pick<ActionParts, 'wire'>, sealed: Content): Proto {
  return wire.proto.Message.fromObject(sealed)
}
