import { text } from 'node:stream/consumers'
import { isGatewayError, type RouteCall, reasonOf } from 'wamux/plugin'
import type { Forwarder } from './forward.ts'
import type { Node } from './nodes.ts'

/** What another node answered to the same call. */
export interface Asked {
  readonly node: Node
  /** The `data` of its answer; undefined if it did not answer. */
  readonly data: unknown
  /** Why it did not answer; '' if it did. */
  readonly why: string
}

/** Forwards a call to each of the nodes at once. Never rejects. */
export function ask(
  call: RouteCall,
  nodes: readonly Node[],
  forwarder: Forwarder,
  timeoutMs: number,
): Promise<Asked[]> {
  const askOne = async (node: Node): Promise<Asked> => {
    try {
      const signal = AbortSignal.timeout(timeoutMs)
      const { body, status } = await forwarder.forward(
        call,
        node,
        call.body ? Buffer.from('{}') : undefined,
        signal,
      )
      const answer = JSON.parse(await text(body as NodeJS.ReadableStream)) as { data?: unknown }
      return { node, data: answer.data, why: answer.data === undefined ? `it answered ${status}` : '' }
    } catch (error) {
      // Its own text is about a session.
      const cause = isGatewayError(error) ? (error.cause ?? error) : error
      return { node, data: undefined, why: reasonOf(cause) }
    }
  }
  return Promise.all(nodes.map(askOne))
}
