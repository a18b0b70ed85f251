import { gatewayError } from 'wamux/plugin'
import { child, el, parseJid } from '../../stanza.ts'
import type { Account } from '../../types.ts'
import { newSecret, sealAddition, type UseCase } from '../messages/additions.ts'
import { secretOf } from '../messages/secrets.ts'
import type { Stored } from '../messages/store.ts'
import { type Action, type ActionParts, requireField } from './action.ts'
import { envelope } from './edits.ts'
import { keyOf, targetOf } from './target.ts'

/** Seals an addition to a message; clients use either `form` (`pn`, `lid`). Throws FIELD_INVALID if the message has no secret. */
export function sealFor(
  parts: ActionParts,
  target: Stored,
  use: UseCase,
  plain: Uint8Array,
  form: unknown = 'lid',
): { encPayload: Uint8Array; encIv: Uint8Array } {
  const secret = secretOf(parts.messages(), target)
  const author = target.fromMe ? parts.account : parts.network.account(target.from)
  if (!secret || !author) throw gatewayError('FIELD_INVALID', ['Id', 'has no secret'])
  const jidOf = ({ jid, lid }: Pick<Account, 'jid' | 'lid'>): string => (form === 'pn' ? jid : lid)
  return sealAddition(
    secret,
    { use, parent: target.id, author: jidOf(author), by: jidOf(parts.account) },
    plain,
  )
}

/** Reacts with `Text`; members of a community's announcement group seal their reactions. */
export async function react(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const target = targetOf(parts, action)
  const { Message } = parts.wire.proto
  const reaction = { text: action.Text ?? '', senderTimestampMs: Date.now() }
  const raw = Message.fromObject({ reactionMessage: { key: keyOf(target), ...reaction } })
  if (!(await isAnnouncementGroup(parts, target.chat)))
    return { Id: await parts.sendMessage(target.chat, raw) }
  const plain = Message.ReactionMessage.encode(Message.ReactionMessage.fromObject(reaction)).finish()
  const sealed = sealFor(parts, target, 'Enc Reaction', plain, action.Data?.['Form'])
  const encReactionMessage = { targetMessageKey: keyOf(target), ...sealed }
  return {
    Id: await parts.sendMessage(target.chat, raw, { envelope: envelope(parts, { encReactionMessage }) }),
  }
}

/** Comments on a message with `Text`. */
export async function comment(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const target = targetOf(parts, action)
  const { Message } = parts.wire.proto
  const message = Message.fromObject({ conversation: requireField(action, 'Text') })
  const sealed = sealFor(
    parts,
    target,
    'Enc Comment',
    Message.encode(message).finish(),
    action.Data?.['Form'],
  )
  const targetMessageKey = keyOf(target)
  const messageContextInfo = { messageSecret: newSecret() }
  const raw = Message.fromObject({ commentMessage: { message, targetMessageKey }, messageContextInfo })
  const outer = { encCommentMessage: { targetMessageKey, ...sealed }, messageContextInfo }
  return { Id: await parts.sendMessage(target.chat, raw, { envelope: envelope(parts, outer) }) }
}

/** Answers an event: `Data.Response` (`GOING`, `NOT_GOING`, `MAYBE`), `Data.Guests` is the number of extra guests. */
export async function answerEvent(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const target = targetOf(parts, action)
  const { Response = 'GOING', Guests = 0, Form } = action.Data ?? {}
  const { EventResponseMessage } = parts.wire.proto.Message
  const answer = { response: Response, timestampMs: Date.now(), extraGuestCount: Number(Guests) }
  const plain = EventResponseMessage.encode(EventResponseMessage.fromObject(answer)).finish()
  const sealed = sealFor(parts, target, 'Event Response', plain, Form)
  const encEventResponseMessage = { eventCreationMessageKey: keyOf(target), ...sealed }
  return { Id: await parts.sendMessage(target.chat, envelope(parts, { encEventResponseMessage })) }
}

async function isAnnouncementGroup({ uplink }: ActionParts, chat: string): Promise<boolean> {
  if (parseJid(chat)?.server !== 'g.us') return false
  const query = el('query', { request: 'interactive' })
  const reply = await uplink.query(el('iq', { xmlns: 'w:g2', type: 'get', to: chat }, [query]))
  return child(child(reply, 'group'), 'default_sub_group') !== undefined
}
