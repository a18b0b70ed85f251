import type { proto } from '@whiskeysockets/baileys'
import { bareJid } from 'wamux/messaging'
import type { GatewayServices, GatewaySignals, PluginDb, Row, Session, Vault, Write } from 'wamux/plugin'
import { flagsOf } from './info.ts'
import { openVote } from './vote.ts'

type Wire = GatewayServices['wire']

type History = GatewaySignals['baileys.messaging-history.set']

export interface PollVote {
  PollID: string
  Question: string
  SelectedOptions: string[]
}

/** Stores the keys of polls and decrypts their votes. */
export interface Polls {
  /** The write that stores a poll; none for other messages. */
  keep(session: string, id: string, content: proto.IMessage, authors: readonly string[]): Write[]
  /** The writes that store the polls of the history. */
  keepAll(session: Pick<Session, 'id' | 'jid' | 'lid'>, history: History): Write[]
  /** The chosen options of a vote; undefined for other messages, and where poll or key are unknown. */
  read(session: string, content: proto.IMessage, voters: readonly string[]): Promise<PollVote | undefined>
}

interface Deps {
  db: PluginDb
  vault: Vault
  wire: Wire
}

export function createPolls({ db, vault, wire }: Deps): Polls {
  const polls: Polls = {
    keep(session, id, content, authors) {
      const poll =
        content.pollCreationMessage ?? content.pollCreationMessageV2 ?? content.pollCreationMessageV3
      const secret = content.messageContextInfo?.messageSecret
      if (!poll || !secret?.length) return []
      const known = authors.filter((jid) => jid !== '').sort()
      const row = {
        session,
        message: id,
        authors: vault.index(session, 'messages_polls/authors', known.join()),
        poll: vault.seal(
          session,
          `messages_polls/${id}`,
          JSON.stringify({
            authors: known,
            question: poll.name ?? '',
            options: (poll.options ?? []).map(({ optionName }) => optionName ?? ''),
            secret: Buffer.from(secret).toString('base64'),
          }),
        ),
        logged: Date.now(),
      }
      return [db.add('polls', ['session', 'message', 'authors'], [row])]
    },
    keepAll({ id: session, jid, lid }, { messages, lidPnMappings = [] }) {
      const others = new Map(
        lidPnMappings.flatMap((pair) => [
          [pair.lid, pair.pn],
          [pair.pn, pair.lid],
        ]),
      )
      return messages.flatMap(({ key, message, messageSecret }) => {
        const { inner } = flagsOf(message ?? {}, {})
        const messageContextInfo = message?.messageContextInfo ?? { messageSecret: messageSecret ?? null }
        const author = bareJid(key.participant ?? key.remoteJid ?? '')
        const authors = key.fromMe ? [jid, lid] : [author, others.get(author) ?? '']
        return polls.keep(session, key.id ?? '', { ...inner, messageContextInfo }, authors)
      })
    },
    async read(session, content, voters) {
      const { pollCreationMessageKey: key, vote } = content.pollUpdateMessage ?? {}
      if (!key?.id || !vote?.encPayload || !vote.encIv) return undefined
      const rows = await db.read<Row>(db.table('polls')).where({ session, message: key.id })
      const sealed = { payload: vote.encPayload, iv: vote.encIv }
      for (const row of rows) {
        const poll = toPoll(vault, row)
        const selected = openVote(wire, poll, voters, sealed)
        if (selected) return { PollID: key.id, Question: poll.question, SelectedOptions: selected }
      }
      return undefined
    },
  }
  return polls
}

function toPoll(vault: Vault, row: Row) {
  const id = String(row['message'])
  const text = vault.open(String(row['session']), `messages_polls/${id}`, row['poll'] as Buffer).toString()
  const { secret, ...poll } = JSON.parse(text) as {
    authors: string[]
    question: string
    options: string[]
    secret: string
  }
  return { id, ...poll, secret: Buffer.from(secret, 'base64') }
}
