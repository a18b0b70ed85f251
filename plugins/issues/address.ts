import { ALL_OWNED, type GatewayServices, type Kernel, type Ownership } from 'wamux/plugin'
import { QUEUE } from './announcer.ts'
import type { IssuesConfig } from './config.ts'
import type { Issue } from './contract.ts'
import { TASK } from './watch.ts'

interface Deps extends Pick<Kernel<IssuesConfig>, 'config'> {
  jobs?: GatewayServices['jobs'] | undefined
  ownership?: Ownership | undefined
}

/** A receiver that restarts fails fewer. */
const ATTEMPTS = 3

/** The operator's address, if it does not take what is posted to it: who relies on it would believe that all is well. */
export function issuesOf({ config, jobs, ownership = ALL_OWNED }: Deps) {
  return {
    async list(): Promise<Issue[]> {
      if (!config.url || !ownership.owns(TASK)) return []
      const failing = await jobs?.failing(`issues.${QUEUE}`)
      if (!failing || failing.attempts < ATTEMPTS) return []
      const { error, since, waiting } = failing
      return [
        {
          cause: 'announcements-failing',
          level: 'error',
          subject: new URL(config.url).host,
          session: '',
          reason: error,
          remedy:
            'Start or correct the receiver of WAMUX_ISSUES_URL: what waits is then posted by itself, for about three days. After that, request it by `POST /server/jobs/issues.posts/dead-letters/retry`.',
          screen: '/health',
          since,
          waiting,
        },
      ]
    },
  }
}
