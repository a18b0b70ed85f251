import { Readable } from 'node:stream'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { withTimeout } from 'wamux/plugin'

/** A person may think for minutes, while proxies close a connection after one silent minute. */
const ALIVE_MS = 15_000

/** The messages to a client as server-sent events; the answer is the last. */
export function toStream(first: JSONRPCMessage, rest: AsyncGenerator<JSONRPCMessage, void>): Readable {
  const stream = Readable.from(chunks(first, rest))
  // If the stream closes before it is read, `chunks` never runs, nor does its `finally`.
  stream.once('close', () => void rest.return())
  return stream
}

async function* chunks(
  first: JSONRPCMessage,
  rest: AsyncGenerator<JSONRPCMessage, void>,
): AsyncGenerator<string> {
  try {
    yield event(first)
    for (let next = rest.next(); ; ) {
      const found = await withTimeout(next, ALIVE_MS, () => undefined)
      if (!found) yield ': alive\n\n'
      else if (found.done) return
      else {
        yield event(found.value)
        next = rest.next()
      }
    }
  } finally {
    await rest.return()
  }
}

function event(message: JSONRPCMessage): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`
}
