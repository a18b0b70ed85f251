import { Readable } from 'node:stream'
import { createInterval, type Reply, type RouteCall, reply, withTimeout } from 'wamux/plugin'
import type { ListParts } from './lists.ts'
import type { Node } from './nodes.ts'

const PATH = '/session/summary/stream'
/** How often it looks for nodes that came and went. */
const LOOK_MS = 2_000
/** Tells the client to read the summaries again. */
const READ_AGAIN = `data: ${JSON.stringify({ Sessions: [], Deleted: [] })}`
/** A client that reads more slowly reads the summaries again instead. */
const MAX_WAITING = 1_000

export function isSummaryStream({ route }: RouteCall, answer: unknown): answer is Reply {
  return route.method === 'GET' && route.path === PATH && (answer as Reply | undefined)?.body !== undefined
}

/** The changes on all nodes: each streams those of the sessions that it serves. */
export function mergedStream(call: RouteCall, own: Reply, parts: ListParts): Reply {
  const frames = createFrames()
  const followers = createFollowers(call, parts, frames)
  const source = own.body as Readable
  async function* merged(): AsyncGenerator<string> {
    try {
      // What changes before it follows the others is in the summaries, which the client reads after the first event.
      await followers.start()
      void pump(source, frames.push).finally(frames.end)
      yield* frames.read()
    } finally {
      source.destroy()
      await followers.stop()
    }
  }
  return reply(Readable.from(merged()), { ...own.headers }, own.status)
}

interface Frames {
  push(frame: string): void
  end(): void
  read(): AsyncGenerator<string>
}

function createFrames(): Frames {
  const waiting: string[] = []
  let isOver = false
  let wake = (): void => undefined
  return {
    push(frame) {
      if (waiting.length < MAX_WAITING) waiting.push(frame)
      else waiting.splice(0, waiting.length, READ_AGAIN)
      wake()
    },
    end() {
      isOver = true
      wake()
    },
    async *read() {
      for (;;) {
        const next = waiting.shift()
        if (next !== undefined) yield `${next}\n\n`
        else if (isOver) return
        else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    },
  }
}

function createFollowers(call: RouteCall, { nodes, forwarder, self }: ListParts, { push }: Frames) {
  const ends = new Map<string, AbortController>()
  let isStarted = false

  /** @param opened called with its first event, or when there is none. */
  async function follow(node: Node, signal: AbortSignal, opened: () => void): Promise<void> {
    let isOpen = false
    try {
      const { body, status } = await forwarder.forward(call, node, undefined, signal)
      if (status !== 200) (body as Readable).destroy()
      await pump(body as Readable, (frame) => {
        if (frame.startsWith(':')) return
        // Its first event, after which the client must read again what has changed before.
        if (isOpen || isStarted) push(frame)
        isOpen = true
        opened()
      })
    } catch {
      // It is followed again as long as it is alive.
    } finally {
      ends.delete(node.id)
      opened()
      // Its sessions are unknown, or another node's.
      if (isOpen) push(READ_AGAIN)
    }
  }

  async function look(): Promise<void> {
    const others = (await nodes.list()).filter(({ id, isAlive }) => isAlive && id !== self.id)
    for (const [id, end] of ends) if (!others.some((node) => node.id === id)) end.abort()
    const begun = others
      .filter(({ id }) => !ends.has(id))
      .map((node) => {
        const end = new AbortController()
        ends.set(node.id, end)
        return new Promise<void>((opened) => void follow(node, end.signal, opened))
      })
    if (!isStarted) await withTimeout(Promise.all(begun), LOOK_MS, () => undefined)
  }

  const looking = createInterval(LOOK_MS, look, () => undefined)
  return {
    async start() {
      await look().catch(() => undefined)
      isStarted = true
      looking.start()
    },
    async stop() {
      await looking.stop()
      for (const end of ends.values()) end.abort()
    },
  }
}

/** Calls `take` with each whole frame of server-sent events; resolves when the stream ends, however it does. */
async function pump(source: Readable, take: (frame: string) => void): Promise<void> {
  let text = ''
  const decoder = new TextDecoder()
  try {
    for await (const chunk of source) {
      text += typeof chunk === 'string' ? chunk : decoder.decode(chunk as Buffer, { stream: true })
      const frames = text.split('\n\n')
      text = frames.pop() ?? ''
      for (const frame of frames) take(frame)
    }
  } catch {
    // Its end is all that matters.
  }
}
