import { api, may } from '../api.ts'
import { phoneIn } from './person.ts'
import { type Loaded, useLoad } from './use-load.ts'

export interface SessionName {
  readonly id: string
  /** Its name, or else its number; '' without either. */
  readonly name: string
  /** Beside its name, to find it by. */
  readonly number?: string
}

/** Whether the login may read data of all sessions. */
export function isAdmin(): boolean {
  return may('admin')
}

/** The sessions that the login may name. */
export function useSessions(): Loaded<readonly SessionName[]> {
  return useLoad(async () => {
    const { Sessions } = await api.get('/session/summary')
    return Sessions.map(({ Id, Name, JID }) => ({
      id: Id,
      name: Name || phoneIn(JID),
      number: Name ? phoneIn(JID) : '',
    }))
  })
}
