import { optionHash, optionsIn } from '../../poll-options.ts'
import { bytes, child, children } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { AccountState } from '../directory/accounts.ts'
import { refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'
import type { Post } from './newsletters.ts'

/**
 * A vote in a poll of a newsletter is plain: the SHA-256 of each chosen option's name. A later vote replaces it. WhatsApp's
 * refusals are not known: here of no option, and of what is no option of the poll.
 */
export function vote({ wire }: NetworkState, post: Post, account: AccountState, message: Stanza): void {
  const names = optionsIn(wire.proto.Message.decode(post.plain))
  const chosen = children(child(message, 'votes')).map((one) => {
    const name = names.find((option) => optionHash(option).equals(bytes(one)))
    if (name === undefined) throw refusal(400, 'bad-request')
    return name
  })
  if (chosen.length === 0) throw refusal(400, 'bad-request')
  post.votes = new Map(post.votes).set(account, chosen)
}
