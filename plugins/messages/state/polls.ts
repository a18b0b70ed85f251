import { Jid } from 'wamux/messaging'
import type { PluginDb, Row, Session, Vault, Viewer, Write } from 'wamux/plugin'

/** A poll of a chat. */
export interface Poll {
  readonly id: string
  readonly chat: string
  readonly question: string
  readonly options: readonly string[]
  /** How many options a voter may choose; 0 for any number. */
  readonly most: number
  /** Of a quiz, the option that is right; '' for other polls, absent in rows of earlier versions. */
  readonly correctAnswer?: string
}

/** The last vote of somebody counts; without options it was withdrawn. */
export interface Vote {
  readonly poll: string
  readonly chat: string
  /** JID of the voter. */
  readonly voter: string
  /** Its other form, phone or LID; '' if unknown. */
  readonly alt: string
  readonly options: readonly string[]
  /** When it was given, by the clock of the voter, milliseconds since 1970. */
  readonly time: number
}

export interface Tally extends Poll {
  readonly votes: readonly Vote[]
}

/** Polls and the votes in them, from the log: they are counted without a link, too. */
export interface Polls {
  /** The write of a poll, committed with its event. */
  create(session: string, poll: Poll): Write
  /** The write of a poll with another question or more options, committed with its event. */
  change(session: string, poll: Poll): Write
  /** The write of a vote, committed with its event. */
  vote(session: string, vote: Vote): Write
  /** The poll with the last vote of each person; undefined if the viewer sees no poll with that id. */
  tally(session: Pick<Session, 'id' | 'socket'>, id: string, viewer: Viewer): Promise<Tally | undefined>
}

const POLL_KEY = ['session', 'poll', 'chat'] as const
const VOTE_KEY = ['session', 'poll', 'chat', 'voter', 'given'] as const
/** Exceeded only if somebody makes up ids. */
const MAX_SAME_ID = 20

export function createPolls({ db, vault }: { db: PluginDb; vault: Vault }): Polls {
  const indexOf = (session: string, jid: string): string => vault.index(session, 'messages_tallies/jid', jid)
  const placeOf = (poll: string): string => `messages_tallies/${poll}`
  const seal = (session: string, poll: string, value: object): Buffer =>
    vault.seal(session, placeOf(poll), JSON.stringify(value))
  const open = <V>(row: Row): V =>
    JSON.parse(
      vault.open(String(row['session']), placeOf(String(row['poll'])), row['content'] as Buffer).toString(),
    ) as V

  async function seen(
    session: string,
    id: string,
    viewer: Viewer,
  ): Promise<{ poll: Poll; chat: string } | undefined> {
    const rows = await db.read<Row>(db.table('tallies')).where({ session, poll: id }).limit(MAX_SAME_ID)
    for (const row of rows) {
      const poll = open<Poll>(row)
      if (await viewer.seesChat(session, poll.chat)) return { poll, chat: String(row['chat']) }
    }
    return undefined
  }

  const rowOf = (session: string, poll: Poll): Row => ({
    session,
    poll: poll.id,
    chat: indexOf(session, poll.chat),
    content: seal(session, poll.id, poll),
    logged: Date.now(),
  })

  return {
    create: (session, poll) => db.add('tallies', POLL_KEY, [rowOf(session, poll)]),
    change: (session, poll) => db.put('tallies', POLL_KEY, [rowOf(session, poll)]),
    vote: (session, vote) =>
      db.add('votes', VOTE_KEY, [
        {
          session,
          poll: vote.poll,
          chat: indexOf(session, vote.chat),
          voter: indexOf(session, vote.voter),
          given: vote.time,
          content: seal(session, vote.poll, vote),
          logged: Date.now(),
        },
      ]),
    async tally({ id: session, socket }, id, viewer) {
      const found = await seen(session, id, viewer)
      if (!found) return undefined
      const { poll, chat } = found
      const rows = await db.read<Row>(db.table('votes')).where({ session, poll: id, chat }).orderBy('given')
      const last = new Map<string, Vote>()
      for (const row of rows) {
        const vote = open<Vote>(row)
        const alt = vote.alt || ((await socket?.knownAlt(vote.voter)) ?? '')
        // Somebody may have voted under the number, and later under the LID.
        const person = Jid.isLid(alt) ? alt : vote.voter
        last.delete(person)
        last.set(person, { ...vote, alt })
      }
      return { ...poll, votes: [...last.values()].filter(({ options }) => options.length > 0) }
    },
  }
}
