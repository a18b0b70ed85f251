import { Readable } from 'node:stream'
import { gatewayError, isGatewayError, type Sessions } from 'wamux/plugin'
import { assertValid, type EventQuery, type Reader, visible } from './reader.ts'
import { toView } from './view.ts'

export interface StreamParts {
  reader: Reader
  sessions: Sessions
  query: EventQuery
  from: number
  heartbeatMs: number
  signal: AbortSignal
}

/** Events in memory for one client; the next page is read when these were sent. */
const PAGE = 50

/** Server-sent events from the log, as fast as the client reads, until it disconnects or the gateway stops. */
export function stream(parts: StreamParts): Readable {
  return Readable.from(chunks(parts))
}

async function* chunks(parts: StreamParts): AsyncGenerator<string> {
  const { reader, query, heartbeatMs, signal } = parts
  const watcher = reader.watch(query)
  let seq = parts.from
  try {
    // Without data: a client that is cut off before the first event resumes here.
    yield `id: ${seq}\nretry: 1000\n\n`
    while (!signal.aborted) {
      // Also ends the stream of a session that was deleted.
      const session = await parts.sessions.byId(query.session.id)
      if (!session) throw gatewayError('TOKEN_INVALID')
      const lines = await reader.page(query, seq, PAGE)
      for (const line of await visible(query, lines)) {
        if (signal.aborted) break
        yield `id: ${line.seq}\ndata: ${JSON.stringify(toView(session, line))}\n\n`
        seq = line.seq
      }
      seq = lines.at(-1)?.seq ?? seq
      if (lines.length > 0) continue
      const began = Date.now()
      await watcher.wait(heartbeatMs, signal)
      if (Date.now() - began >= heartbeatMs) yield ': alive\n\n'
    }
    assertValid(signal)
  } catch (error) {
    const { status, code, message } = isGatewayError(error) ? error : gatewayError('INTERNAL')
    yield `event: error\ndata: ${JSON.stringify({ code: status, error: message, errorCode: code, success: false })}\n\n`
  } finally {
    watcher.close()
  }
}
