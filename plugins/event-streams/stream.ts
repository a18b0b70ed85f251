import { Readable } from 'node:stream'
import { gatewayError, isGatewayError } from 'wamux/plugin'
import { type FollowParts, follow } from './follow.ts'
import { assertValid } from './reader.ts'

/** Server-sent events from the log, as fast as the client reads, until it disconnects or the gateway stops. */
export function stream(parts: FollowParts): Readable {
  return Readable.from(chunks(parts))
}

async function* chunks(parts: FollowParts): AsyncGenerator<string> {
  try {
    // Without data: a client disconnected before the first event resumes here.
    yield `id: ${parts.from}\nretry: 1000\n\n`
    for await (const event of follow(parts)) {
      if (event) yield `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`
      else yield ': alive\n\n'
    }
    assertValid(parts.signal)
  } catch (error) {
    const { status, code, message } = isGatewayError(error) ? error : gatewayError('INTERNAL')
    yield `event: error\ndata: ${JSON.stringify({ code: status, error: message, errorCode: code, success: false })}\n\n`
  }
}
