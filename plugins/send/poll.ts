import { randomBytes } from 'node:crypto'
import { Jid, pollOptionHash, QUIZ } from 'wamux/messaging'
import { gatewayError } from 'wamux/plugin'

interface Asked {
  readonly Phone: string
  readonly Question: string
  readonly Options: readonly string[]
  readonly MaxAnswer: number
  /** Of a quiz. */
  readonly CorrectAnswer?: string
}

/** Content of a poll, or of a quiz, which Baileys cannot build. Throws FIELD_INVALID. */
export function pollOf({ Phone, Question, Options, MaxAnswer, CorrectAnswer }: Asked) {
  assertOptions(Options, MaxAnswer)
  if (CorrectAnswer === undefined)
    return { poll: { name: Question, values: [...Options], selectableCount: MaxAnswer } }
  assertQuiz({ Phone, Options, MaxAnswer, CorrectAnswer })
  return {
    proto: {
      pollCreationMessageV3: {
        name: Question,
        options: Options.map((optionName) => ({ optionName })),
        selectableOptionsCount: 1,
        pollContentType: TEXT,
        pollType: QUIZ,
        correctAnswer: {
          optionName: CorrectAnswer,
          optionHash: pollOptionHash(CorrectAnswer).toString('hex'),
        },
      },
      messageContextInfo: { messageSecret: randomBytes(32) },
    },
  }
}

/** `PollContentType.TEXT` of the protobuf. */
const TEXT = 1

function assertOptions(options: readonly string[], maxAnswer: number): void {
  if (options.length < 2) throw gatewayError('FIELD_INVALID', ['Options', 'at least 2 options are required'])
  if (new Set(options).size < options.length)
    throw gatewayError('FIELD_INVALID', ['Options', 'must all be different'])
  if (maxAnswer > options.length)
    throw gatewayError('FIELD_INVALID', ['MaxAnswer', `there are only ${options.length} options`])
}

/** Elsewhere Android shows no quiz (itsliaaa/baileys#2). */
function assertQuiz({ Phone, Options, MaxAnswer, CorrectAnswer }: Omit<Required<Asked>, 'Question'>): void {
  if (!Jid.isNewsletter(Phone.trim()))
    throw gatewayError('FIELD_INVALID', ['CorrectAnswer', 'WhatsApp has quizzes in newsletters only'])
  if (!Options.includes(CorrectAnswer))
    throw gatewayError('FIELD_INVALID', ['CorrectAnswer', `"${CorrectAnswer}" is not one of Options`])
  if (MaxAnswer !== 1) throw gatewayError('FIELD_INVALID', ['MaxAnswer', 'must be 1 in a quiz'])
}
