import { type EventDeclaration, type Recording, type Signal, type Static, T } from 'wamux/plugin'
import type { Issue } from './contract.ts'

declare module 'wamux/plugin' {
  interface GatewaySignals {
    /** An issue of the session opened or closed; `occurrence` identifies it from its opening to its end. */
    'issue.changed': { occurrence: string; state: IssueState; issue: Issue }
  }
  interface GatewayEvents {
    Issue: { event: Static<typeof IssueChange> }
  }
}

type Shown = Pick<Issue, 'cause' | 'level' | 'subject' | 'reason' | 'remedy' | 'request' | 'screen' | 'since'>

export type IssueState = 'opened' | 'closed'

const IssueChange = T.Object({
  State: T.Enum(['opened', 'closed']),
  Cause: T.String({
    description: 'Why, as a code, for example `session-logged-out`; the same codes as in `GET /issues`',
  }),
  Level: T.Enum(['error', 'warning']),
  Subject: T.String({
    description: 'What it is about, for example the host of a receiver; empty for the session itself',
  }),
  Reason: T.String({ description: 'Why, in words, as it opened' }),
  Remedy: T.String({ description: 'What to do about it' }),
  Request: T.String({ description: 'The request that fixes it; empty if no request does' }),
  Screen: T.String({
    description: 'The dashboard screen that fixes it: a path below `/dashboard`; empty if none',
  }),
  Since: T.String({ description: 'When it began, RFC 3339; empty if that is unknown' }),
})

export const events = {
  Issue: {
    class: 'Issue',
    summary: 'Something of the session needs a person, or no longer does',
    schema: IssueChange,
  },
} satisfies Record<string, EventDeclaration>

export const translate = {
  'issue.changed': ({ data: { occurrence, state, issue } }: Signal<'issue.changed'>): Recording => ({
    events: [{ type: 'Issue', key: `${occurrence} ${state}`, body: { event: changeOf(state, issue) } }],
  }),
}

/** An issue in the form of receivers. */
export function changeOf(state: IssueState, issue: Issue): Static<typeof IssueChange> {
  return { State: state, ...shownOf(issue) }
}

/** What the event and `GET /issues` show alike. */
export function shownOf(issue: Shown): Omit<Static<typeof IssueChange>, 'State'> {
  const { cause, level, subject, reason, remedy, request = '', screen = '', since } = issue
  return {
    Cause: cause,
    Level: level,
    Subject: subject,
    Reason: reason,
    Remedy: remedy,
    Request: request,
    Screen: screen,
    Since: timeOf(since),
  }
}

/** RFC 3339; '' for an unknown time. */
export function timeOf(ms: number): string {
  return ms > 0 ? new Date(ms).toISOString() : ''
}
