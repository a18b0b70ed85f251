import { type GatewayServices, type Kernel, type Session, type Static, T } from 'wamux/plugin'
import { type Days, SLOTS } from './day.ts'
import type { History } from './history.ts'
import { Labels } from './schemas.ts'
import { stateFields, stateView } from './state-view.ts'

export const Summary = T.Object(
  {
    Id: T.String(),
    Name: T.String(),
    Node: T.String({
      description: 'Name of the node that serves it; empty while none does, and without the plugin cluster',
    }),
    Labels,
    JID: T.String({ description: 'Empty until a phone has linked the session' }),
    Connected: T.Boolean(),
    LoggedIn: T.Boolean(),
    ...stateFields,
    LastMessage: T.String({
      description:
        'When the last message was sent or received, RFC 3339, whole seconds, as known to the plugin chats; empty without one',
    }),
    Cause: T.String({ description: 'How the last link ended, if that is why it is in this state' }),
    Outbox: T.Integer({ description: 'Number of messages in progress: neither acknowledged nor refused' }),
    Pending: T.Integer({ description: 'Number of pending deliveries to webhooks of this session' }),
    PendingSince: T.String({ description: 'When the oldest one was enqueued, RFC 3339; empty for none' }),
    RestrictedUntil: T.String({
      description: 'End of a restriction of new chats, as known to the plugin pacing; otherwise empty',
    }),
    Day: T.Array(T.Integer(), {
      description: `Share of each of the last ${SLOTS} half hours in which it was connected, oldest first, in percent of the time in which it should have been; -1 if it should not have been: before it existed or was linked, or while it was stopped`,
    }),
  },
  { title: 'SessionSummary' },
)

/** An operator's overview of many sessions, without tokens. */
export interface Summaries {
  of(sessions: readonly Session[]): Promise<Static<typeof Summary>[]>
}

export interface SummaryDeps extends Pick<Kernel<unknown>, 'contributions' | 'sessions'> {
  history: History
  days: Days
  outboxes?: GatewayServices['outboxes'] | undefined
  pace?: GatewayServices['pace'] | undefined
}

export function createSummaries({ contributions, history, days, outboxes, pace }: SummaryDeps): Summaries {
  return {
    async of(sessions) {
      const now = Date.now()
      const ids = sessions.map(({ id }) => id)
      const [day, depth, backlogs, messages] = await Promise.all([
        days.read(sessions, now),
        outboxes?.depths(ids),
        Promise.all(contributions('sessionBacklogs').map(({ value }) => value.bySession())),
        Promise.all(contributions('sessionActivity').map(({ value }) => value.lastMessages(ids))),
      ])
      const timeOf = (at = 0): string => (at > 0 ? new Date(at).toISOString() : '')
      return sessions.map((session) => {
        const { id, name, labels, jid, connected, loggedIn, cause = '' } = session
        const waiting = backlogs.flatMap((backlog) => backlog.get(id) ?? [])
        return {
          ...{
            Id: id,
            Name: name,
            Node: '',
            Labels: { ...labels },
            JID: jid,
            Connected: connected,
            LoggedIn: loggedIn,
          },
          ...stateView(session, history),
          LastMessage: timeOf(Math.max(0, ...messages.map((times) => times.get(id) ?? 0))),
          Cause: cause,
          Outbox: depth?.get(id) ?? 0,
          Pending: waiting.reduce((sum, { count }) => sum + count, 0),
          PendingSince: timeOf(waiting.map(({ since }) => since).sort((a, b) => a - b)[0]),
          RestrictedUntil: timeOf(pace?.restrictedUntil(id)),
          Day: [...(day.get(id) ?? [])],
        }
      })
    },
  }
}
