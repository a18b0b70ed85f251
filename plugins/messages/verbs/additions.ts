import type { proto, WAMessage } from '@whiskeysockets/baileys'
import { pollOptionHash } from 'wamux/messaging'
import { type GatewayServices, gatewayError, type LiveSession } from 'wamux/plugin'
import { flagsOf } from '../translate/info.ts'

type Target = NonNullable<Awaited<ReturnType<LiveSession['socket']['additionTarget']>>>
type Wire = GatewayServices['wire']

/** A vote names its options by hashes; none withdraws the vote. */
export function voteOn(
  wire: Wire,
  { key, poll, seal }: Target,
  options: readonly string[],
  message: WAMessage | undefined,
): proto.IMessage {
  if (!poll) throw gatewayError('FIELD_INVALID', ['Id', 'is not a poll'])
  assertChoice(options, poll.options, pollIn(message?.message)?.selectableOptionsCount ?? 0)
  const selectedOptions = options.map(pollOptionHash)
  const vote = seal('Poll Vote', wire.proto.Message.PollVoteMessage.encode({ selectedOptions }).finish())
  return { pollUpdateMessage: { pollCreationMessageKey: key, vote, senderTimestampMs: Date.now() } }
}

/** @param most how many options a voter may choose; 0 for any number, and if the poll is not stored here any more. */
export function assertChoice(chosen: readonly string[], names: readonly string[], most: number): void {
  const unknown = chosen.find((option) => !names.includes(option))
  if (unknown !== undefined)
    throw gatewayError('FIELD_INVALID', ['Options', `"${unknown}" is not an option of the poll`])
  if (most > 0 && chosen.length > most)
    throw gatewayError('FIELD_INVALID', ['Options', `at most ${most} can be chosen`])
}

export function pollIn(
  content: proto.IMessage | null | undefined,
): proto.Message.IPollCreationMessage | undefined {
  const { inner } = flagsOf(content ?? {})
  const poll = Object.entries(inner).find(([name, part]) => name.startsWith('pollCreationMessage') && part)
  return poll?.[1]
}

const RESPONSES = { going: 1, notGoing: 2, maybe: 3 } as const

export type Response = keyof typeof RESPONSES

/** The answer to an event, with the number of guests that come along. */
export function answerTo(
  wire: Wire,
  { key, seal }: Target,
  { response, guests }: { response: Response; guests: number },
  message: WAMessage | undefined,
): proto.IMessage {
  const event = eventIn(message)
  if (event.isCanceled) throw gatewayError('FIELD_INVALID', ['Id', 'is a cancelled event'])
  if (guests > 0 && !event.extraGuestsAllowed)
    throw gatewayError('FIELD_INVALID', ['Guests', 'the event allows none'])
  const answer = { response: RESPONSES[response], timestampMs: Date.now(), extraGuestCount: guests }
  const plain = wire.proto.Message.EventResponseMessage.encode(answer).finish()
  return { encEventResponseMessage: { eventCreationMessageKey: key, ...seal('Event Response', plain) } }
}

const EVENT_EDIT = 1

/** The edit with which the author cancels an event. */
export function cancellationOf(
  wire: Wire,
  { key, seal }: Target,
  message: WAMessage | undefined,
  newSecret: Uint8Array,
): proto.IMessage {
  if (!key.fromMe) throw gatewayError('FIELD_INVALID', ['Id', 'only own events can be cancelled'])
  const eventMessage = { ...eventIn(message), isCanceled: true }
  const messageContextInfo = { messageSecret: newSecret }
  const plain = wire.proto.Message.encode({ eventMessage, messageContextInfo }).finish()
  const sealed = seal('Event Edit', plain)
  return {
    secretEncryptedMessage: { targetMessageKey: key, ...sealed, secretEncType: EVENT_EDIT },
    messageContextInfo,
  }
}

function eventIn(message: WAMessage | undefined): proto.Message.IEventMessage {
  if (!message) throw gatewayError('MESSAGE_UNKNOWN')
  const { eventMessage } = flagsOf(message.message ?? {}).inner
  if (!eventMessage) throw gatewayError('FIELD_INVALID', ['Id', 'is not an event'])
  return eventMessage
}
