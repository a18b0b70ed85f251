import { gatewayError } from 'wamux/plugin'
import { optionHash } from '../../poll-options.ts'
import { encodeAddedOption } from '../messages/added-option.ts'
import type { Proto } from '../messages/compose.ts'
import { ADD_OPTION } from '../messages/secrets.ts'
import { type Action, type ActionParts, requireField } from './action.ts'
import { sealFor } from './additions.ts'
import { keyOf, targetOf } from './target.ts'

/**
 * Creates a poll with the question `Text` and `Data.Options`. Like the apps, it uses versions 3 and 5 alternately for a single
 * choice, and version 1 for several (`Data.Max`, 0 for any number); `Data.Version` (1 to 6) selects another. With
 * `Data.CorrectAnswer`, one of the options, it is a quiz.
 */
export async function poll(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const {
    Options = [],
    Max = 1,
    Version,
    CorrectAnswer,
  } = (action.Data ?? {}) as {
    Options?: string[]
    Max?: number
    Version?: number
    CorrectAnswer?: string
  }
  const chat = parts.chatOf(requireField(action, 'Chat'))
  const content = {
    name: requireField(action, 'Text'),
    options: Options.map((optionName) => ({ optionName })),
    selectableOptionsCount: Max,
    ...(CorrectAnswer === undefined ? {} : quizOf(CorrectAnswer)),
  }
  const { Message } = parts.wire.proto
  const message = Message.fromObject(creation(Version ?? usualVersion(parts, Max), content))
  return { Id: await parts.sendMessage(chat, message) }
}

/** WR src/features/polls.rs: the answer with its name and the hex of its hash. */
function quizOf(optionName: string): object {
  const correctAnswer = { optionName, optionHash: optionHash(optionName).toString('hex') }
  return { pollContentType: 'TEXT', pollType: 'QUIZ', correctAnswer }
}

function usualVersion({ messages }: ActionParts, max: number): number {
  if (max !== 1) return 1
  const earlier = messages().filter(({ fromMe, raw }) => fromMe && isPoll(raw))
  return earlier.length % 2 === 0 ? 3 : 5
}

function creation(version: number, content: object): Record<string, unknown> {
  if (version === 1) return { pollCreationMessage: content }
  if (version === 4) return { pollCreationMessageV4: { message: { pollCreationMessageV3: content } } }
  return { [`pollCreationMessageV${version}`]: content }
}

/** Votes in a poll. `Data.Options` are the chosen names; clients use either `Data.Form` (`pn`, `lid`). */
export async function vote(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const target = targetOf(parts, action)
  if (!isPoll(target.raw)) throw gatewayError('FIELD_INVALID', ['Id', 'is not a poll'])
  const { Options = [], Form } = (action.Data ?? {}) as { Options?: string[]; Form?: string }
  const selectedOptions = Options.map(optionHash)
  const { Message } = parts.wire.proto
  const { PollVoteMessage } = Message
  const plain = PollVoteMessage.encode(PollVoteMessage.fromObject({ selectedOptions })).finish()
  const pollUpdateMessage = {
    pollCreationMessageKey: keyOf(target),
    vote: sealFor(parts, target, 'Poll Vote', plain, Form),
    senderTimestampMs: Date.now(),
  }
  return { Id: await parts.sendMessage(target.chat, Message.fromObject({ pollUpdateMessage })) }
}

/** Adds the option `Text` to a poll; clients use either `Data.Form` (`pn`, `lid`). */
export async function addOption(parts: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const target = targetOf(parts, action)
  if (!isPoll(target.raw)) throw gatewayError('FIELD_INVALID', ['Id', 'is not a poll'])
  const key = keyOf(target)
  const plain = encodeAddedOption(parts.wire, key, requireField(action, 'Text'))
  const sealed = sealFor(parts, target, 'Poll Add Option', plain, action.Data?.['Form'])
  const secretEncryptedMessage = { targetMessageKey: key, ...sealed, secretEncType: ADD_OPTION }
  const message = parts.wire.proto.Message.fromObject({ secretEncryptedMessage })
  return { Id: await parts.sendMessage(target.chat, message, { edit: '1' }) }
}

function isPoll(message: Proto): boolean {
  return Object.entries(message).some(([name, value]) => name.startsWith('pollCreationMessage') && value)
}
