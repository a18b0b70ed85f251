import { type Metric, systemViewer } from 'wamux/plugin'
import type { Issues } from './issues.ts'

/** Each process counts the sessions that it serves, and what has no session. */
export const metrics = ({ issues }: { issues: Issues }) =>
  ({
    wamux_issues: {
      type: 'gauge',
      help: 'What needs a person now, as in GET /issues, by cause: number of sessions, or 1 for what has no session',
      collect: async () =>
        (await issues.list(systemViewer(), true)).map(({ cause, subject, level, sessions }) => ({
          labels: { cause, subject, level },
          value: sessions.length || 1,
        })),
    },
  }) satisfies Record<string, Metric>
