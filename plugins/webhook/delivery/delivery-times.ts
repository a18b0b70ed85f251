import type { Session, Static } from 'wamux/plugin'
import type { Endpoints } from '../endpoints/endpoints.ts'
import type { Archive } from './archive.ts'
import type { AttemptLog, AttemptView } from './attempt-log.ts'

/** The deliveries of one event to each webhook of its session. */
export interface DeliveryTimes {
  of(session: Session, seq: number): Promise<DeliveryTime[]>
}

export interface DeliveryTime {
  /** `main` for the session's own webhook. */
  readonly endpoint: string
  readonly url: string
  /** pending, done or dead */
  readonly state: string
  /** Time of the next attempt, RFC 3339; '' for none. */
  readonly nextAt: string
  readonly attempts: readonly Static<typeof AttemptView>[]
}

interface Deps {
  endpoints: Endpoints
  archive: Archive
  attemptLog: AttemptLog
}

export function createDeliveryTimes({ endpoints, archive, attemptLog }: Deps): DeliveryTimes {
  return {
    async of(session, seq) {
      const own = endpoints.of(session)
      const ids = own.map(({ id }) => id)
      const rows = await archive.list(ids, { from: seq, to: seq }, ids.length)
      const attempts = await attemptLog.list(ids, [seq])
      return rows.map(({ Endpoint, State, NextAt }) => {
        const endpoint = own.find(({ id }) => id === Endpoint)
        const name = endpoint?.isMain ? 'main' : Endpoint
        return {
          endpoint: name,
          url: endpoint?.url ?? '',
          state: State,
          nextAt: NextAt,
          attempts: attempts
            .filter((attempt) => attempt.Endpoint === Endpoint)
            .map((attempt) => ({ ...attempt, Endpoint: name })),
        }
      })
    },
  }
}
