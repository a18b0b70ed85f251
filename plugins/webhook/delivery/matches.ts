import { eventFactsOf, passesFilter } from 'wamux/messaging'
import type { Events, LogEvent, Session, Sessions, Viewer } from 'wamux/plugin'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { blank } from '../endpoints/endpoints.ts'
import type { Formats } from '../formats/formats.ts'

/** The settings of a webhook that select its events. */
type Selection = Pick<Endpoint, 'subscribe' | 'filter' | 'format' | 'edits' | 'events'>

export interface Match {
  readonly line: LogEvent
  readonly session: Session
  /** What leaves it out; '' if the webhook would receive it. */
  readonly leftOutBy: '' | 'class' | 'filter' | 'format'
  /** Any form of the JID of its chat; '' for an event of the session as a whole. */
  readonly chat: string
}

/** Applies the selection of a webhook to the newest events of the log, without a webhook. */
export interface Matches {
  /** Newest first. @param session undefined for a webhook of all sessions. */
  list(
    session: Session | undefined,
    selection: Selection,
    viewer: Viewer,
    limit: number,
  ): Promise<readonly Match[]>
}

interface Deps {
  events: Events
  formats: Formats
  sessions: Sessions
}

/** Events read for a viewer who may not see all of them. */
const READ_FACTOR = 10

export function createMatches({ events, formats, sessions }: Deps): Matches {
  async function leftOutBy(
    selection: Selection,
    line: LogEvent,
    session: Session,
  ): Promise<Match['leftOutBy']> {
    const { subscribe, filter } = selection
    if (!subscribe.includes('All') && !subscribe.includes(line.class)) return 'class'
    if (!passesFilter(filter, line, () => eventFactsOf(line))) return 'filter'
    const endpoint = { ...blank(session.id), id: 'preview', url: '', ...selection }
    return (await formats.accepts(endpoint, line, session)) ? '' : 'format'
  }

  return {
    async list(session, selection, viewer, limit) {
      formats.check({ ...selection, transform: {} })
      const count = viewer.isLimited ? limit * READ_FACTOR : limit
      const scope = session ? { session: session.id } : {}
      const found: Match[] = []
      for (const line of await events.before(Number.MAX_SAFE_INTEGER, count, scope)) {
        const of = await sessions.byId(line.session)
        if (!of || found.length >= limit || !(await viewer.seesEvent(line))) continue
        const [chat = ''] = eventFactsOf(line).chats
        found.push({ line, session: of, chat, leftOutBy: await leftOutBy(selection, line, of) })
      }
      return found
    },
  }
}
