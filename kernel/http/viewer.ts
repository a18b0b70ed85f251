import type { Events } from '../types/events.ts'
import type { EventPlace, Viewer } from '../types/viewer.ts'
import type { Authorized } from './auth.ts'

/** The one place that decides what a caller may see. A caller without a session is one for several sessions, or for all. */
export function viewerOf(
  { actor, session: own, caller }: Omit<Authorized, 'ended'>,
  { lane }: Pick<Events, 'lane'>,
): Viewer {
  const isOf = (session: string): boolean => actor !== '' && (!own || own.id === session)
  const seesEvent = async (event: EventPlace): Promise<boolean> =>
    isOf(event.session) && (!caller?.sees || (await caller.sees(event)))
  return {
    id: actor,
    isLimited: caller?.sees !== undefined,
    seesSession: (session) => isOf(session.id) && (caller?.covers?.(session) ?? true),
    seesChat: async (session, chat) => seesEvent({ session, lane: lane(session, chat) }),
    seesEvent,
  }
}

/** Sees everything of one session, or of all: for work that no request started. */
export function systemViewer(session?: string): Viewer {
  const isOf = (id: string): boolean => session === undefined || id === session
  return {
    id: 'system',
    isLimited: false,
    seesSession: ({ id }) => isOf(id),
    seesChat: async (id) => isOf(id),
    seesEvent: async (event) => isOf(event.session),
  }
}
