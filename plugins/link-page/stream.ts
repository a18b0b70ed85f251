import { Readable } from 'node:stream'
import { qrDrawing } from 'wamux/messaging'
import { type Log, reasonOf, type Session, type Sessions } from 'wamux/plugin'
import type { Attempts } from './attempts.ts'
import type { LinkingWatch } from './linking-watch.ts'
import type { Link, Links } from './links.ts'
import { isFinal, type View, type ViewParts, viewOf } from './view.ts'

export interface StreamParts extends ViewParts {
  links: Links
  sessions: Sessions
  attempts: Attempts
  watch: LinkingWatch
  log: Log
}

/** The page considers the stream broken after three silent intervals. */
const BEAT_MS = 4_000

/** The current link and session; undefined when they are gone. */
type Read = () => Promise<{ readonly link: Link; readonly session: Session } | undefined>

/** The states of a link's page as server-sent events, from the current one to the last. */
export function stream(token: string, parts: StreamParts, signal: AbortSignal): Readable {
  const { links, sessions } = parts
  const read: Read = async () => {
    const link = await links.find(token)
    const session = link && (await sessions.byId(link.session))
    return link && session ? { link, session } : undefined
  }
  return Readable.from(chunks(read, parts, signal, isFinal))
}

/** The same for a caller that may manage the session: without a link, and without an end. */
export function streamOfSession(id: string, parts: StreamParts, signal: AbortSignal): Readable {
  const expiresAt = Number.MAX_SAFE_INTEGER
  const link: Link = { id: '', session: id, holder: '', language: '', state: 'opened', expiresAt }
  const read: Read = async () => {
    const session = await parts.sessions.byId(id)
    return session && { link, session }
  }
  return Readable.from(chunks(read, parts, signal, () => false))
}

async function* chunks(
  read: Read,
  parts: StreamParts,
  signal: AbortSignal,
  isLast: (view: View) => boolean,
): AsyncGenerator<string> {
  const { watch, attempts, log } = parts
  const first = await read()
  if (!first) return
  const watcher = watch.watch(first.session.id)
  let sent = ''
  try {
    yield 'retry: 1000\n\n'
    while (!signal.aborted) {
      const found = await read()
      if (!found) return
      const { link, session } = found
      const now = Date.now()
      const view = viewOf(link, session, parts, now)
      const text = JSON.stringify(view)
      if (text === sent) yield 'event: alive\ndata: 1\n\n'
      else yield `data: ${JSON.stringify(await toWire(view, now))}\n\n`
      sent = text
      if (view.state === 'expired') await attempts.end(session)
      if (isLast(view)) return
      await watcher.wait(Math.max(1, Math.min(BEAT_MS, nextChange(view, link.expiresAt) - now)), signal)
    }
  } catch (error) {
    // The browser reconnects, and shows no code until then.
    log.warn({ session: first.session.id, reason: reasonOf(error) }, 'the stream of a link page ended')
  } finally {
    watcher.close()
  }
}

/** The next time at which the view changes without an event. */
function nextChange(view: View, expiresAt: number): number {
  return view.state === 'scan' ? Math.min(view.until, expiresAt) : expiresAt
}

/** The state as JSON. Browser clocks may be wrong, so times are sent as remaining milliseconds. */
async function toWire(view: View, now: number): Promise<Record<string, unknown>> {
  if (view.state === 'scan') {
    const { code } = view
    return {
      State: 'scan',
      Image: await qrDrawing(view.qr),
      ExpiresIn: view.until - now,
      ...(code ? { Code: code.text, CodeExpiresIn: code.until - now } : {}),
    }
  }
  if (view.state === 'passkey') {
    const { state, challenge, code, expiresAt, isTimeout } = view.passkey
    const left = expiresAt === undefined ? {} : { ExpiresIn: Math.max(0, Date.parse(expiresAt) - now) }
    const reason = isTimeout ? { Reason: 'timeout' } : {}
    return { State: 'passkey', Step: state, Challenge: challenge, Code: code, ...left, ...reason }
  }
  if (view.state === 'linked') return { State: 'linked', Number: view.number }
  return view.state === 'failed' ? { State: 'failed', Reason: view.reason } : { State: view.state }
}
