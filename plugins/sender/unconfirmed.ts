import { altOf, eventFactsOf } from 'wamux/messaging'
import { type Events, gatewayError } from 'wamux/plugin'
import type { SendRequest } from './identity.ts'

/** With this header, a client that asks a person to confirm sends states which need no confirmation. */
const HEADER = 'X-Unconfirmed-Sends'
const VALUES = ['none', 'known-chats']
const PAGE = 200
/** Most events of a chat read to find an own message. */
const MAX_READ = 2_000

/**
 * Rejects SEND_UNCONFIRMED for a send that a person must confirm first. A chat is known if the account has written to it, as
 * far back as the log goes; if incoming messages counted, anyone could make their own chat known. A post to many never
 * counts as known.
 */
export async function assertConfirmed(
  events: Pick<Events, 'before' | 'lane'>,
  request: SendRequest,
  chat: string,
): Promise<void> {
  const value = request.header(HEADER)
  if (!value) return
  if (!VALUES.includes(value)) throw gatewayError('FIELD_INVALID', [HEADER, `must be ${VALUES.join(' or ')}`])
  if (value === 'none') throw gatewayError('SEND_UNCONFIRMED', [chat])
  if (chat.endsWith('@broadcast') || !(await isKnown(events, request, chat)))
    throw gatewayError('SEND_UNCONFIRMED', [chat], { details: 'the account has not written to it lately' })
}

async function isKnown(
  events: Pick<Events, 'before' | 'lane'>,
  { session }: SendRequest,
  chat: string,
): Promise<boolean> {
  const forms = [chat, await altOf(session, chat)].filter(Boolean)
  for (const lane of forms.map((jid) => events.lane(session.id, jid))) {
    let next = Number.MAX_SAFE_INTEGER
    for (let read = 0; read < MAX_READ; read += PAGE) {
      const lines = await events.before(next, PAGE, { session: session.id, lane, types: ['Message'] })
      if (lines.some((line) => eventFactsOf(line).isOwnMessage)) return true
      if (lines.length < PAGE) break
      next = lines.at(-1)?.seq ?? 0
    }
  }
  return false
}
