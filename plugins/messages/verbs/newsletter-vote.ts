import { randomBytes } from 'node:crypto'
import type { WAMessage } from '@whiskeysockets/baileys'
import { ask, child, children, node, pollOptionHash, toMexError } from 'wamux/messaging'
import { gatewayError, type LiveSession } from 'wamux/plugin'
import { assertChoice, pollIn } from './additions.ts'

interface Vote {
  readonly options: readonly string[]
  /** Id of the stanza. */
  readonly id?: string | undefined
}

/** Newest posts among which an own one is looked up. */
const RECENT = 100

/**
 * Votes in a poll of a newsletter, of any number of options but none: how a vote is withdrawn is not known. The vote is not
 * encrypted: it names the post by its number, and the options by their hashes (zapo src/transport/node/builders/newsletter.ts).
 */
export async function voteInNewsletter(
  session: LiveSession,
  { key, message }: WAMessage,
  { options, id = `3EB0${randomBytes(9).toString('hex').toUpperCase()}` }: Vote,
) {
  const poll = pollIn(message)
  if (!poll) throw gatewayError('FIELD_INVALID', ['Id', 'is not a poll'])
  const names = (poll.options ?? []).map(({ optionName }) => optionName ?? '')
  assertChoice(options, names, poll.selectableOptionsCount ?? 0)
  if (options.length === 0)
    throw gatewayError('FIELD_INVALID', ['Options', 'a vote in a newsletter can not be withdrawn'])
  const chat = key.remoteJid ?? ''
  const post = key.server_id ?? (await numberOf(session, chat, key.id ?? ''))
  if (!post) throw gatewayError('MESSAGE_UNKNOWN')
  const votes = options.map((name) => ({ tag: 'vote', attrs: {}, content: pollOptionHash(name) }))
  const content = [
    { tag: 'votes', attrs: {}, content: votes },
    { tag: 'meta', attrs: { polltype: 'vote' } },
  ]
  const attrs = { to: chat, id, type: 'poll', server_id: post }
  const { attrs: ack } = await session.socket.query({ tag: 'message', attrs, content }, 'vote in the poll')
  if (ack['error'] === '404') throw gatewayError('MESSAGE_UNKNOWN')
  if (ack['error'])
    throw toMexError(
      { code: Number(ack['error']), reason: 'not allowed in this newsletter' },
      'vote in the poll',
    )
  const time = ack['t'] ? Number(ack['t']) * 1000 : Date.now()
  return { Details: 'Sent', Id: id, Timestamp: new Date(time).toISOString(), Chat: chat }
}

/** The number of an own post, which its sender does not get with it; undefined for one that is not among the newest. */
async function numberOf({ socket }: LiveSession, jid: string, id: string): Promise<string | undefined> {
  const content = node('messages', { type: 'jid', jid, count: String(RECENT) })
  const reply = await ask(socket, { xmlns: 'newsletter', content, verb: 'find the poll' })
  return children(child(reply, 'messages')).find((post) => post.attrs['id'] === id)?.attrs['server_id']
}
