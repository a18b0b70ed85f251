import { Readable } from 'node:stream'
import { gatewayError, isGatewayError } from 'wamux/plugin'
import { type FollowParts, follow } from './follow.ts'

/** Server-sent events from the log, as fast as the client reads, until it disconnects or the gateway stops. */
export function stream(parts: FollowParts): Readable {
  return Readable.from(chunks(parts))
}

async function* chunks(parts: FollowParts): AsyncGenerator<string> {
  try {
    yield 'retry: 1000\n\n'
    for await (const event of follow(parts)) {
      if (event) yield `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`
      else yield ': alive\n\n'
    }
  } catch (error) {
    const { status, message } = isGatewayError(error) ? error : gatewayError('INTERNAL')
    yield `event: error\ndata: ${JSON.stringify({ code: status, error: message, success: false })}\n\n`
  }
}
