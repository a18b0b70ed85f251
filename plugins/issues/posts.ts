import type { GatewayContributions, GatewayServices, Kernel } from 'wamux/plugin'
import { type AnnouncementPost, QUEUE } from './announcer.ts'
import type { IssuesConfig } from './config.ts'
import { changeOf, type IssueState, timeOf } from './events.ts'
import type { Detailed, Occurrences } from './occurrences.ts'
import { MAX_NAMED } from './routes.ts'

interface Deps extends Pick<Kernel<IssuesConfig>, 'config'> {
  webhooks?: GatewayServices['webhooks'] | undefined
  occurrences: Occurrences
}

/** About 75 hours, like webhooks: after 5, 10, 20 … seconds, then once an hour. */
const RETRIES = { attempts: 84, backoffSeconds: 5 }

/** Posts announcements to the operator's address; without one, the queues need not look for them. */
export const jobs = ({ config, webhooks, occurrences }: Deps): GatewayContributions['jobs'] => {
  const { url, secret } = config
  if (!url || !webhooks) return {}
  return {
    queues: {
      [QUEUE]: {
        ...RETRIES,
        async handle({ id, data, attempt }) {
          const { state, ids } = data as AnnouncementPost
          const about = await occurrences.detailed(ids)
          if (about.length > 0)
            await webhooks.post(url, { id, secret, attempt, body: bodyOf(id, state, about) })
          return state === 'closed' ? [occurrences.remove(ids)] : []
        },
      },
    },
  }
}

/** The same envelope as an event of a session. What one request says has the same cause and subject. */
function bodyOf(eventId: string, state: IssueState, about: readonly Detailed[]): string {
  const [{ issue }] = about as [Detailed]
  const sessions = new Map(about.filter(({ session }) => session).map(({ session, name }) => [session, name]))
  const screen = sessions.size > 1 ? issue.screenOfMany : issue.screen
  const nodes = new Set(about.flatMap(({ node }) => node || []))
  const times = about.map(({ opened, closed }) => (state === 'closed' ? closed : opened))
  return JSON.stringify({
    type: 'Issue',
    event: {
      ...changeOf(state, { ...issue, screen: screen ?? '' }),
      Sessions: [...sessions].slice(0, MAX_NAMED).map(([Id, Name]) => ({ Id, Name })),
      Count: sessions.size,
      Nodes: [...nodes].sort(),
    },
    eventId,
    timestamp: timeOf(Math.max(...times)),
  })
}
