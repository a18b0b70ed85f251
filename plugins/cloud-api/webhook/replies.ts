import type { Events, LogEvent } from 'wamux/plugin'
import { phoneOf } from '../graph/number-id.ts'
import type { Choice, Facts, SentFacts } from '../store/sent-facts.ts'
import { isSent, type Normal, type ValueContext } from './events.ts'
import { blankless, type CloudContent, typed } from './fields.ts'

/** Answers to messages with choices in Graph's form, with the client's id of the choice. */

export interface ReplyDeps {
  readonly events: Pick<Events, 'before'>
  readonly sentFacts: SentFacts
}

type Raw = Record<string, Record<string, unknown>>

/** Number of a chat's messages searched for the one that a text may answer. */
const LOOK_BACK = 50
/** A longer text is not a choice. */
const MAX_ANSWER = 200

export async function voteOf(
  { targetId = '', vote, chat }: Normal,
  about: ValueContext,
  { sentFacts }: ReplyDeps,
): Promise<CloudContent | undefined> {
  // A withdrawn vote, or one for an unknown poll.
  if (!vote || vote.options.length === 0) return undefined
  const facts = await sentFacts.find(about.session.id, targetId, chat)
  const chosen = facts?.choices?.find(({ label }) => vote.options.includes(label))
  const reply =
    facts && chosen ? replyOf(facts.kind, chosen) : typed('text', { body: vote.options.join(', ') })
  return { ...reply, ...inReplyTo(targetId, about) }
}

export async function selectionOf(
  line: LogEvent,
  { session }: ValueContext,
  { sentFacts }: ReplyDeps,
): Promise<CloudContent> {
  const { selection, quoted, text, chat } = line.body['message'] as Normal
  const facts = quoted && (await sentFacts.find(session.id, quoted.id, chat))
  const id = flowIdOf(line) || selection?.id || ''
  const chosen = facts?.choices?.find((choice) => choice.id === id)
  return replyOf(facts?.kind, chosen ?? { id, title: selection?.text || text || id })
}

/**
 * A text that selects one of the numbered choices by number or title, as a reply to that message or as the first text after
 * it in its chat. Undefined for any other text. The result depends only on the log, so it is the same on every attempt.
 */
export async function answerOf(
  line: LogEvent,
  about: ValueContext,
  { events, sentFacts }: ReplyDeps,
): Promise<CloudContent | undefined> {
  const { isFromMe, text, quoted, chat } = line.body['message'] as Normal
  if (isFromMe || !text || text.length > MAX_ANSWER) return undefined
  const numbered = async (id: string): Promise<Facts | undefined> => {
    const facts = await sentFacts.find(about.session.id, id, chat)
    return facts?.isNumbered ? facts : undefined
  }

  async function asked(): Promise<string | undefined> {
    const { session, lane, seq } = line
    const earlier = await events.before(seq, LOOK_BACK, { session, lane, types: ['Message'] })
    for (const one of earlier) {
      const { id, isFromMe, type } = one.body['message'] as Normal
      if (!isFromMe && type === 'text') return undefined
      if (isFromMe && isSent(one) && (await numbered(id))) return id
    }
    return undefined
  }

  const id = quoted?.id ?? (await asked())
  const facts = id === undefined ? undefined : await numbered(id)
  const chosen = chosenBy(text, facts?.choices ?? [])
  return id && facts && chosen ? { ...replyOf(facts.kind, chosen), ...inReplyTo(id, about) } : undefined
}

function chosenBy(text: string, choices: readonly Choice[]): Choice | undefined {
  const said = plain(text)
  const number = /^(\d{1,3})[.)]?$/.exec(said)?.[1]
  const named = choices.filter(({ title, label }) => plain(title) === said || plain(label) === said)
  // Titles may be duplicates, or numbers themselves.
  if (named.length > 0) return named.length === 1 ? named[0] : undefined
  return number === undefined ? undefined : choices[Number(number) - 1]
}

function plain(text: string): string {
  return text.trim().toLowerCase()
}

function inReplyTo(id: string, { jid }: ValueContext): CloudContent {
  return { context: { from: phoneOf(jid), id } }
}

/** A reply to native buttons contains the chosen id in embedded JSON. */
function flowIdOf(line: LogEvent): string {
  const { Message = {} } = line.body['event'] as { Message?: Raw }
  const flow = Message['interactiveResponseMessage']?.['nativeFlowResponseMessage'] as
    | Record<string, unknown>
    | undefined
  try {
    return String((JSON.parse(String(flow?.['paramsJson'])) as { id?: string }).id ?? '')
  } catch {
    return ''
  }
}

function replyOf(kind: Facts['kind'], { id, title, description }: Omit<Choice, 'label'>): CloudContent {
  if (kind === 'template') return typed('button', { payload: id, text: title })
  if (kind === 'list')
    return typed('interactive', typed('list_reply', blankless({ id, title, description: description ?? '' })))
  return typed('interactive', typed('button_reply', { id, title }))
}
