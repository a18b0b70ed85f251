import { gatewayError, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import type { Polls, Tally } from '../state/polls.ts'
import { personOf } from '../translate/people.ts'

const Voter = T.Object({
  JID: T.String({ description: 'Can be used as Phone' }),
  Phone: T.String({ description: 'Phone number, digits only; empty if unknown' }),
  Time: T.String({ description: 'When the vote was given, RFC 3339' }),
})

/** The count of a poll, with or without a link. */
export const pollRoutes = <D extends Kernel<unknown> & { polls: Polls }>(r: RouteBuilder<D>) => [
  r.get('/polls/:id', {
    summary: 'Count the votes of a poll',
    description:
      'By the message id of a poll that was sent or received by this session in the last 90 days. The last vote of each person counts, also own ones; withdrawn ones are left out. Votes in newsletters are counted by WhatsApp alone.',
    access: 'token',
    scope: 'read',
    isFiltered: true,
    params: { id: '3A1B2C3D4E5F60718298' },
    errors: ['MESSAGE_UNKNOWN'],
    response: T.Object(
      {
        Id: T.String(),
        Chat: T.String(),
        Question: T.String(),
        MaxAnswer: T.Integer({ description: 'Number of options that a voter may choose; 0 for any number' }),
        CorrectAnswer: T.String({
          description: 'Of a quiz, the option that is right; empty for other polls',
        }),
        Voters: T.Integer({ description: 'Number of people who have voted' }),
        Options: T.Array(T.Object({ Name: T.String(), Votes: T.Integer(), Voters: T.Array(Voter) })),
      },
      { title: 'PollTally' },
    ),
    async handle({ params: { id = '' }, session, viewer }, { polls }) {
      const tally = await polls.tally(session, id, viewer)
      if (!tally) throw gatewayError('MESSAGE_UNKNOWN')
      return toAnswer(tally)
    },
  }),
]

function toAnswer({ id, chat, question, most, options, votes, correctAnswer = '' }: Tally) {
  const voters = votes.map((vote) => {
    const { voter, alt, time } = vote
    const { phone } = personOf(voter, alt)
    return { vote, shown: { JID: voter, Phone: phone, Time: new Date(time).toISOString() } }
  })
  return {
    Id: id,
    Chat: chat,
    Question: question,
    MaxAnswer: most,
    CorrectAnswer: correctAnswer,
    Voters: votes.length,
    Options: options.map((Name) => {
      const chosen = voters.filter(({ vote }) => vote.options.includes(Name)).map(({ shown }) => shown)
      return { Name, Votes: chosen.length, Voters: chosen }
    }),
  }
}
