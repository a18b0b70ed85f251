import { type RouteBuilder, type Static, T } from 'wamux/plugin'
import { shownOf } from './events.ts'
import type { IssueGroup, Issues } from './issues.ts'

/** Sessions that one issue names; `Count` has their number. */
export const MAX_NAMED = 100

const IssueView = T.Object(
  {
    Cause: T.String({ description: 'Why, as a code, for example `webhook-failing`' }),
    Level: T.Enum(['error', 'warning'], {
      description: '`error`: something does not work; `warning`: it soon will not, or works less well',
    }),
    Subject: T.String({
      description: 'What it is about, for example the host of a receiver; empty for the sessions themselves',
    }),
    Reason: T.String({ description: 'Why, in words; with several sessions, that of the first' }),
    Remedy: T.String({ description: 'What to do about it' }),
    Request: T.String({
      description: 'The request that fixes it, for example `POST /session/connect`; empty if no request does',
    }),
    Screen: T.String({
      description: 'The dashboard screen that fixes it: a path below `/dashboard`; empty if none',
    }),
    Since: T.String({ description: 'When the first of them began, RFC 3339; empty if that is unknown' }),
    Waiting: T.Integer({ description: 'How many things wait for it, for example deliveries' }),
    Sessions: T.Array(T.Object({ Id: T.String(), Name: T.String() }), {
      description: `The sessions that it concerns, at most ${MAX_NAMED}; none for one of the gateway`,
    }),
    Count: T.Integer({ description: 'Number of the sessions that it concerns' }),
    Nodes: T.Array(T.String(), {
      description: 'Names of the nodes that report it; none without the plugin cluster',
    }),
  },
  { title: 'Issue' },
)

export const routes = <D extends { issues: Issues }>(r: RouteBuilder<D>) => [
  r.get('/issues', {
    summary: 'List what needs a person now',
    description:
      'One entry for each cause and subject, errors first: unlinked, banned and refused sessions, failing webhooks, expiring keys, failing checks, a disk that is nearly full. An entry ends by itself when its cause has ended. The administrator sees all; other credentials see the issues of their sessions.',
    access: 'known',
    response: T.Object({
      Issues: T.Array(IssueView),
      Unanswered: T.Array(T.String(), {
        description: 'Names of nodes that did not answer: what they know is missing',
      }),
    }),
    async handle({ viewer, caller, session }, { issues }) {
      const isOperator = caller ? caller.scopes.includes('admin') : session === undefined
      return { Issues: (await issues.list(viewer, isOperator)).map(toView), Unanswered: [] }
    },
  }),
]

function toView(group: IssueGroup): Static<typeof IssueView> {
  const { waiting, sessions } = group
  return {
    ...shownOf(group),
    Waiting: waiting,
    Sessions: sessions.slice(0, MAX_NAMED).map(({ id, name }) => ({ Id: id, Name: name })),
    Count: sessions.length,
    Nodes: [],
  }
}
