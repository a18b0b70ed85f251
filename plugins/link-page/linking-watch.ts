import { type Events, type LogEvent, withTimeout } from 'wamux/plugin'

/** The QR code being shown. */
export interface CurrentQr {
  readonly code: string
  /** Milliseconds since 1970. */
  readonly until: number
}

/** Follows the linking of sessions in their events. */
export interface LinkingWatch {
  start(): void
  stop(): void
  qr(session: string): CurrentQr | undefined
  /** Why the last attempt ended; undefined while one runs. */
  ended(session: string): 'timeout' | 'refused' | 'logged-out' | undefined
  /** Watches each event and each `notify` of one session. */
  watch(session: string): Watcher
  /** Wakes the watchers of a session. */
  notify(session: string): void
}

interface Watcher {
  /** Resolves when something happened since the last wait, after `ms`, or when `signal` aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>
  close(): void
}

interface Attempt {
  qr?: CurrentQr
  ended?: 'timeout' | 'refused' | 'logged-out'
}

export function createLinkingWatch({ events }: { events: Events }): LinkingWatch {
  const attempts = new Map<string, Attempt>()
  const watchers = new Map<string, Set<() => void>>()
  let close = (): void => undefined

  function follow(line: LogEvent): void {
    const attempt = attemptOf(line)
    if (attempt) attempts.set(line.session, attempt)
    else if (attempt === undefined) attempts.delete(line.session)
  }
  function notify(session: string): void {
    for (const wake of watchers.get(session) ?? []) wake()
  }

  return {
    start() {
      close = events.watch((lines) => {
        for (const line of lines) follow(line)
        for (const session of new Set(lines.map((line) => line.session))) notify(session)
      })
    },
    stop: () => close(),
    qr: (session) => attempts.get(session)?.qr,
    ended: (session) => attempts.get(session)?.ended,
    watch(session) {
      let isChanged = false
      let release = (): void => undefined
      const wake = (): void => {
        isChanged = true
        release()
      }
      const all = watchers.get(session) ?? new Set()
      watchers.set(session, all.add(wake))
      return {
        async wait(ms, signal) {
          if (!isChanged && !signal.aborted) {
            const change = new Promise<void>((resolve) => {
              release = resolve
            })
            signal.addEventListener('abort', release)
            await withTimeout(change, ms, () => undefined)
            signal.removeEventListener('abort', release)
          }
          isChanged = false
        },
        close() {
          all.delete(wake)
          if (all.size === 0 && watchers.get(session) === all) watchers.delete(session)
        },
      }
    },
    notify,
  }
}

/** The change that an event makes to the linking attempt; undefined: it has ended; null: no change. */
function attemptOf(line: LogEvent): Attempt | undefined | null {
  const { type } = line
  if (type === 'QR') {
    // Read only here: a body is parsed at the first read, and this function sees every event.
    const { code, expires } = line.body['event'] as { code: string; expires: number }
    return { qr: { code, until: Date.now() + expires } }
  }
  if (type === 'QRTimeout') return { ended: 'timeout' }
  if (type === 'ConnectFailure') return { ended: 'refused' }
  if (type === 'LoggedOut') return { ended: 'logged-out' }
  // Neither a lost connection nor a linked account has a code to scan.
  return ['Disconnected', 'PairSuccess', 'Connected', 'PasskeyRequired'].includes(type) ? undefined : null
}
