import { Readable } from 'node:stream'
import { type Log, reasonOf, type Sessions } from 'wamux/plugin'
import type { Attempts } from './attempts.ts'
import type { LinkingWatch } from './linking-watch.ts'
import type { Links } from './links.ts'
import { isFinal, type View, type ViewParts, viewOf } from './view.ts'

export interface StreamParts extends ViewParts {
  links: Links
  sessions: Sessions
  attempts: Attempts
  watch: LinkingWatch
  log: Log
}

/** The page takes the stream for broken when it hears nothing for three of them. */
export const BEAT_MS = 4_000

/** The states of a link's page as server-sent events, from the present one to the last. */
export function stream(token: string, parts: StreamParts, signal: AbortSignal): Readable {
  return Readable.from(chunks(token, parts, signal))
}

async function* chunks(token: string, parts: StreamParts, signal: AbortSignal): AsyncGenerator<string> {
  const { links, sessions, watch, attempts, log } = parts
  const first = await links.find(token)
  if (!first) return
  const watcher = watch.watch(first.session)
  let sent = ''
  try {
    yield 'retry: 1000\n\n'
    while (!signal.aborted) {
      const link = await links.find(token)
      const session = link && (await sessions.byId(link.session))
      if (!link || !session) return
      const now = Date.now()
      const view = viewOf(link, session, parts, now)
      const text = JSON.stringify(view)
      if (text === sent) yield 'event: alive\ndata: 1\n\n'
      else yield `data: ${JSON.stringify(await toWire(view, now))}\n\n`
      sent = text
      if (view.state === 'expired') await attempts.end(session)
      if (isFinal(view)) return
      await watcher.wait(Math.max(1, Math.min(BEAT_MS, nextChange(view, link.expiresAt) - now)), signal)
    }
  } catch (error) {
    // The browser connects again, and shows no code until then.
    log.warn({ session: first.session, reason: reasonOf(error) }, 'the stream of a link page ended')
  } finally {
    watcher.close()
  }
}

/** When time alone changes the view. */
function nextChange(view: View, expiresAt: number): number {
  return view.state === 'scan' ? Math.min(view.until, expiresAt) : expiresAt
}

/** The state as JSON. Clocks of browsers may be wrong, so times are sent as the milliseconds that are left. */
async function toWire(view: View, now: number): Promise<Record<string, unknown>> {
  if (view.state === 'scan') {
    const { code } = view
    return {
      State: 'scan',
      Image: await picture(view.qr),
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

/** A QR text as an SVG data URL, which is sharp in every size. */
async function picture(text: string): Promise<string> {
  // Loaded when a first code is shown: most starts show none.
  const { toString: toSvg } = await import('qrcode')
  const svg = await toSvg(text, { type: 'svg', margin: 2, errorCorrectionLevel: 'L' })
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
}
