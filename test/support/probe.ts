import {
  definePlugin,
  type Events,
  type LogEvent,
  type Plugin,
  type Session,
  type Sessions,
  type Socket,
} from '../../kernel/plugin.ts'
import { eventually } from './eventually.ts'
import type { LinkedSession } from './sessions.ts'

/** A plugin of the tests' own: looks behind the interface. */
export interface Probe {
  readonly plugin: Plugin
  session(token: string): Promise<Session | undefined>
  socket(session: LinkedSession): Promise<Socket>
  /** What happens without the network: raises signals. */
  readonly log: Events
  /** The first event, past or coming, of that type that `matches`. */
  event(type: string, matches?: (event: Record<string, unknown>) => boolean): Promise<LogEvent>
  /** All of that type so far. */
  events(type: string): LogEvent[]
  /** Resolves once the session has read everything that its account's devices share. */
  synced(session: LinkedSession): Promise<void>
}

export function createProbe(): Probe {
  const seen: LogEvent[] = []
  let sessions: Sessions | undefined
  let log: Events | undefined
  const look = (events: Events): void => void events.watch((some) => seen.push(...some))
  const probe: Probe = {
    plugin: definePlugin({
      name: 'probe',
      version: '1.0.0',
      api: '^1.0.0',
      setup: async (deps) => {
        sessions = deps.sessions
        log = deps.events
        look(deps.events)
      },
    }),
    get log() {
      if (!log) throw new Error('the gateway has not started')
      return log
    },
    session: async (token) => sessions?.byToken(token),
    async socket({ token }) {
      const socket = (await sessions?.byToken(token))?.socket
      if (!socket) throw new Error('the session has no link')
      return socket
    },
    events: (type) => seen.filter((event) => event.type === type),
    event: (type, matches = () => true) =>
      eventually(
        () => {
          const found = probe.events(type)
          const match = found.find(({ body }) => matches(body['event'] as Record<string, unknown>))
          if (match) return match
          throw new Error(`seen: ${JSON.stringify(found.map(({ body }) => body))}`)
        },
        `logged such a ${type}`,
        { progress: () => seen.length },
      ),
    async synced(session) {
      const { wa } = await probe.socket(session)
      await eventually(() => wa.authState.creds.accountSyncCounter, 'synced')
    },
  }
  return probe
}
