import type { Sent } from 'wamux/messaging'
import { type Reply, reply, type Static } from 'wamux/plugin'
import type { SendRequest } from './identity.ts'

export type SentAnswer = Static<typeof Sent>

const REPLAY = { 'Idempotent-Replay': 'true' }

/** RFC 7240: the client prefers an answer when the message is stored to one when it is sent. */
export function prefersAsync({ header }: Pick<SendRequest, 'header'>): boolean {
  return header('Prefer')
    .split(',')
    .some((preference) => /^\s*respond-async\s*(;|$)/i.test(preference))
}

export function accepted(id: string, isReplay: boolean): Reply {
  const headers = { 'Preference-Applied': 'respond-async', ...(isReplay ? REPLAY : {}) }
  return enveloped(202, { Details: 'Accepted', Id: id }, headers)
}

interface SentMessage {
  readonly id: string
  readonly timestamp: string
  readonly chat: string
}

export function plainAnswer({ id, timestamp, chat }: SentMessage): SentAnswer {
  return { Details: 'Sent', Id: id, Timestamp: timestamp, Chat: chat }
}

export function answerOf<A>(
  sent: SentMessage,
  isReplay: boolean,
  answer: ((sent: SentAnswer) => A) | undefined,
): A | Reply {
  const plain = plainAnswer(sent)
  const data = (answer ? answer(plain) : plain) as A
  return isReplay ? enveloped(200, data, REPLAY) : data
}

function enveloped(code: number, data: unknown, headers: Record<string, string>): Reply {
  const body = JSON.stringify({ code, data, success: true })
  return reply(body, { 'Content-Type': 'application/json; charset=utf-8', ...headers }, code)
}
