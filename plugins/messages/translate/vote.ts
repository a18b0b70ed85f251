import { createDecipheriv, createHash, createHmac } from 'node:crypto'
import type { GatewayServices } from 'wamux/plugin'

type Wire = GatewayServices['wire']

export interface SealedVote {
  payload: Uint8Array
  iv: Uint8Array
}

export interface VotePoll {
  id: string
  secret: Uint8Array
  /** JIDs of the author of the poll. */
  authors: readonly string[]
  options: readonly string[]
}

/**
 * The names of the chosen options; undefined when the vote can't be decrypted. Its key is derived from the JIDs of both
 * sides in the form, phone or LID, that the voter's client used. That form is not transmitted, so each is tried.
 * (Baileys no longer decrypts votes since 7.0.)
 */
export function openVote(
  wire: Wire,
  poll: VotePoll,
  voters: readonly string[],
  vote: SealedVote,
): string[] | undefined {
  for (const author of poll.authors) {
    for (const voter of voters) {
      const plain = decrypt(poll, author, voter, vote)
      if (plain) return namesOf(wire, poll.options, plain)
    }
  }
  return undefined
}

function decrypt(poll: VotePoll, author: string, voter: string, vote: SealedVote): Buffer | undefined {
  const hmac = (key: Uint8Array, data: Uint8Array): Buffer => createHmac('sha256', key).update(data).digest()
  const context = Buffer.concat([Buffer.from(`${poll.id}${author}${voter}Poll Vote`), Buffer.from([1])])
  const key = hmac(hmac(new Uint8Array(32), poll.secret), context)
  const tag = vote.payload.subarray(-16)
  if (tag.length < 16) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, vote.iv)
    .setAAD(Buffer.from(`${poll.id}\0${voter}`))
    .setAuthTag(tag)
  try {
    return Buffer.concat([decipher.update(vote.payload.subarray(0, -16)), decipher.final()])
  } catch {
    return undefined
  }
}

/** A vote holds the hashes of the chosen names. */
function namesOf(wire: Wire, options: readonly string[], plain: Buffer): string[] {
  const chosen = wire.proto.Message.PollVoteMessage.decode(plain).selectedOptions ?? []
  return options.filter((name) => {
    const hash = createHash('sha256').update(name).digest()
    return chosen.some((one) => hash.equals(one))
  })
}
