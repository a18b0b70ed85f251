import { Readable } from 'node:stream'
import { gatewayError, isGatewayError } from 'wamux/plugin'
import { type FollowParts, follow } from './follow.ts'
import { toView } from './view.ts'

/** Server-sent events from the log, as fast as the client reads, until it disconnects or the gateway stops. */
export function stream(parts: FollowParts): Readable {
  return Readable.from(chunks(parts))
}

async function* chunks(parts: FollowParts): AsyncGenerator<string> {
  try {
    yield 'retry: 1000\n\n'
    for await (const followed of follow(parts)) {
      if (!followed) yield ': alive\n\n'
      else
        yield `id: ${followed.line.seq}\ndata: ${JSON.stringify(toView(followed.session, followed.line))}\n\n`
    }
  } catch (error) {
    const { status, message } = isGatewayError(error) ? error : gatewayError('INTERNAL')
    yield `event: error\ndata: ${JSON.stringify({ code: status, error: message, success: false })}\n\n`
  }
}
