import type { GatewayServices } from 'wamux/plugin'
import { optionHash, optionsIn } from '../../poll-options.ts'
import type { Account } from '../../types.ts'
import { unwrap } from '../display/content.ts'
import { decodeAddedOption } from './added-option.ts'
import { openAddition } from './additions.ts'
import type { Proto } from './compose.ts'
import { ADD_OPTION, secretOf } from './secrets.ts'
import type { EventAnswer, Stored } from './store.ts'

interface Parts {
  wire: GatewayServices['wire']
  stored: readonly Stored[]
  accountOf(jid: string): Pick<Account, 'jid' | 'lid'> | undefined
}

/** The answer in a message of `from`; undefined for other messages, or if it can't be opened. */
export function answerIn(
  { wire, stored, accountOf }: Parts,
  from: string,
  message: Proto,
): EventAnswer | undefined {
  const { encEventResponseMessage: response, pollUpdateMessage } = message
  const addition = addedIn(message)
  const key =
    response?.eventCreationMessageKey ??
    pollUpdateMessage?.pollCreationMessageKey ??
    addition?.targetMessageKey
  const { encPayload, encIv } = response ?? pollUpdateMessage?.vote ?? addition ?? {}
  const parent = stored.find(({ id }) => id === key?.id)
  const [by, author] = [accountOf(from), parent && accountOf(parent.from)]
  const secret = parent && secretOf(stored, parent)
  if (!parent || !by || !author || !secret || !encPayload || !encIv) return undefined
  const use = response ? 'Event Response' : addition ? 'Poll Add Option' : 'Poll Vote'
  for (const form of ['lid', 'jid'] as const) {
    const sealed = { use, parent: parent.id, author: author[form], by: by[form] } as const
    const plain = openAddition(secret, sealed, { encPayload, encIv })
    if (!plain) continue
    if (response) return eventAnswer(wire, parent.id, plain)
    if (addition) return { to: parent.id, added: decodeAddedOption(wire, plain) }
    return pollVote(wire, parent, addedTo(stored, parent), plain)
  }
  return undefined
}

function addedIn({ secretEncryptedMessage: sealed }: Proto): typeof sealed {
  return (sealed?.secretEncType as number | undefined) === ADD_OPTION ? sealed : undefined
}

/** The options that have been added to a poll. */
function addedTo(stored: readonly Stored[], { id }: Stored): string[] {
  return stored.flatMap(({ answer }) => (answer?.to === id && 'added' in answer ? [answer.added] : []))
}

function eventAnswer(wire: GatewayServices['wire'], to: string, plain: Uint8Array): EventAnswer {
  const { EventResponseMessage } = wire.proto.Message
  const { response, extraGuestCount } = EventResponseMessage.decode(plain)
  const name = EventResponseMessage.EventResponseType[response ?? 0] ?? ''
  return { to, response: name, guests: extraGuestCount ?? 0 }
}

function pollVote(
  wire: GatewayServices['wire'],
  { id, raw }: Stored,
  added: readonly string[],
  plain: Uint8Array,
): EventAnswer {
  const chosen = wire.proto.Message.PollVoteMessage.decode(plain).selectedOptions ?? []
  const options = [...optionsIn(unwrap(raw)), ...added]
  return {
    to: id,
    options: options.filter((name) => chosen.some((hash) => optionHash(name).equals(hash))),
  }
}
