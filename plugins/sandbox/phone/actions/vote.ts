import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { gatewayError } from 'wamux/plugin'
import type { Action, ActionParts } from './action.ts'
import { keyOf, targetOf } from './target.ts'

/**
 * Votes in a poll. `Data.Options` are the chosen names; `Data.Form` (`pn`, `lid`) is the addressing mode of the
 * JIDs in the key derivation, as clients use either.
 */
export async function vote(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const poll = targetOf(parts, action)
  const secret = poll.raw.messageContextInfo?.messageSecret
  const author = poll.fromMe ? parts.account : parts.network.account(poll.from)
  if (!secret || !author) throw gatewayError('FIELD_INVALID', ['Id', 'is not a poll'])
  const { Options = [], Form = 'lid' } = (action.Data ?? {}) as { Options?: string[]; Form?: 'pn' | 'lid' }
  const jidOf = ({ jid, lid }: { jid: string; lid: string }): string => (Form === 'pn' ? jid : lid)
  const selectedOptions = Options.map((name) => createHash('sha256').update(name).digest())
  const { PollVoteMessage } = parts.wire.proto.Message
  const plain = PollVoteMessage.encode(PollVoteMessage.fromObject({ selectedOptions })).finish()
  const pollUpdateMessage = {
    pollCreationMessageKey: keyOf(poll),
    vote: seal(secret, poll.id, jidOf(author), jidOf(parts.account), plain),
    senderTimestampMs: Date.now(),
  }
  const message = parts.wire.proto.Message.fromObject({ pollUpdateMessage })
  return { Id: await parts.sendMessage(poll.chat, message) }
}

function seal(
  secret: Uint8Array,
  id: string,
  author: string,
  voter: string,
  plain: Uint8Array,
): { encPayload: Buffer; encIv: Buffer } {
  const base = createHmac('sha256', Buffer.alloc(32)).update(secret).digest()
  const key = createHmac('sha256', base).update(`${id}${author}${voter}Poll Vote\u0001`).digest()
  const encIv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, encIv).setAAD(Buffer.from(`${id}\0${voter}`))
  return { encPayload: Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]), encIv }
}
