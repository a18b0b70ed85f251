/** The time in which a node served a session, by its log. */
export interface Tenure {
  node: string
  session: string
  epoch: number
  /** Milliseconds since 1970. */
  from: number
  /** Infinity if it still does. */
  to: number
}

/** A node logs the end of a tenure after its commit, by when another one may have claimed the session. */
const LOGGED_LATE_MS = 1_000

interface Line {
  time: string
  msg: string
  session: string
  sessions: string[]
  epoch: number
}

/** @param lines of the log of the node. */
export function tenuresOf(node: string, lines: readonly string[]): Tenure[] {
  const tenures: Tenure[] = []
  const open = new Map<string, Tenure>()
  const end = (session: string, time: string): void => {
    const tenure = open.get(session)
    if (tenure) tenure.to = Date.parse(time)
    open.delete(session)
  }
  for (const text of lines) {
    if (!/"msg":"(session claimed|sessions released|lease lost)"/.test(text)) continue
    const { time, msg, session, sessions, epoch } = JSON.parse(text) as Line
    if (msg === 'session claimed') {
      end(session, time)
      const tenure = { node, session, epoch, from: Date.parse(time), to: Number.POSITIVE_INFINITY }
      tenures.push(tenure)
      open.set(session, tenure)
    } else for (const ended of msg === 'lease lost' ? [session] : sessions) end(ended, time)
  }
  return tenures
}

/** Pairs of nodes that had one epoch of a session, or served it at the same time. */
export function servedTwice(tenures: readonly Tenure[]): string[] {
  const bySession = new Map<string, Tenure[]>()
  for (const tenure of tenures)
    bySession.set(tenure.session, [...(bySession.get(tenure.session) ?? []), tenure])
  return [...bySession].flatMap(([session, own]) => {
    const ordered = own.toSorted((a, b) => a.epoch - b.epoch)
    return ordered.flatMap((later, index) => {
      const earlier = ordered[index - 1]
      if (!earlier || earlier.node === later.node) return []
      const isTwice = earlier.epoch === later.epoch || earlier.to > later.from + LOGGED_LATE_MS
      return isTwice
        ? [
            `${session}: ${earlier.node} in epoch ${earlier.epoch} beside ${later.node} in epoch ${later.epoch}`,
          ]
        : []
    })
  })
}
