import { eventJson } from 'wamux/messaging'
import {
  type GatewayServices,
  gatewayError,
  isGatewayError,
  type Kernel,
  type LogEvent,
  reasonOf,
  type Session,
  withTimeout,
} from 'wamux/plugin'
import type { Output, OutputMessage, OutputState, Outputs } from './contract.ts'

type Deps = Pick<Kernel<unknown>, 'contributions' | 'sessions' | 'log'> & {
  attachments?: GatewayServices['attachments'] | undefined
}

type Tally = { -readonly [K in 'published' | 'failed' | 'error' | 'publishedAt']: OutputState[K] }

export function createOutputs({ contributions, sessions, log, attachments }: Deps): Outputs {
  const tallies = new Map<string, Tally>()

  function tallyOf(plugin: string): Tally {
    const tally = tallies.get(plugin) ?? { published: 0, failed: 0, error: '', publishedAt: 0 }
    tallies.set(plugin, tally)
    return tally
  }

  async function messagesOf(output: Output, events: readonly LogEvent[]): Promise<OutputMessage[]> {
    const wanted = events.filter((line) => isWanted(output.types, line.type, line.class))
    const known = new Map(
      await Promise.all(
        [...new Set(wanted.map(({ session }) => session))].map(
          async (id) => [id, await sessions.byId(id)] as const,
        ),
      ),
    )
    return wanted.flatMap((line) => {
      const session = known.get(line.session)
      // Deleted since.
      if (!session || !isWanted(output.sessions, session.id, session.name)) return []
      return [toMessage(output.pattern, line, session, attachments?.link(line))]
    })
  }

  async function confirm(output: Output, message: OutputMessage, tally: Tally): Promise<void> {
    try {
      const problem = output.problem()
      if (problem) throw new Error(problem)
      await withTimeout(output.publish(message), output.timeoutMs, () => {
        throw new Error(`${output.broker} has not confirmed within ${output.timeoutMs} ms`)
      })
      Object.assign(tally, { published: tally.published + 1, error: '', publishedAt: Date.now() })
    } catch (error) {
      Object.assign(tally, { failed: tally.failed + 1, error: reasonOf(error) })
      throw error
    }
  }

  return {
    async publish(plugin, events) {
      const output = contributions('outputs').find((one) => one.plugin === plugin)?.value
      if (!output) throw gatewayError('PLUGIN_UNAVAILABLE', [plugin, 'it contributes no output'])
      const tally = tallyOf(plugin)
      const messages = await messagesOf(output, events)
      try {
        await inWindow(messages, output.window, (message) => confirm(output, message, tally))
      } catch (error) {
        if (isGatewayError(error) && error.code === 'OUTPUT_REFUSED') throw error
        log.debug({ output: plugin, reason: reasonOf(error) }, 'publishing failed')
        throw gatewayError('PLUGIN_UNAVAILABLE', [plugin, reasonOf(error)], { cause: error })
      }
    },
    states: () =>
      contributions('outputs').map(({ plugin, value }) => {
        const problem = value.problem()
        const tally = tallyOf(plugin)
        const error = problem || tally.error
        return { name: plugin, broker: value.broker, isConnected: problem === '', ...tally, error }
      }),
  }
}

function isWanted(names: readonly string[], ...own: readonly string[]): boolean {
  return names.length === 0 || own.some((name) => names.includes(name))
}

/**
 * Starts the work of each item in order, at most `size` at a time, and nothing more after a failure. Rejects with the first
 * failure once all that was started has ended.
 */
async function inWindow<T>(
  items: readonly T[],
  size: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>()
  const failures: unknown[] = []
  for (const item of items) {
    if (running.size >= size) await Promise.race(running)
    if (failures.length > 0) break
    const one = work(item)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => running.delete(one))
    running.add(one)
  }
  await Promise.all(running)
  if (failures.length > 0) throw failures[0]
}

/** @param file link, type and name of the file of a message, see `Attachments.link` */
function toMessage(
  pattern: string,
  line: LogEvent,
  session: Session,
  file: Record<string, string> = {},
): OutputMessage {
  const { id, type, time } = line
  return {
    id,
    type,
    session: session.id,
    time,
    address: fill(pattern, line, session),
    body: eventJson(line, session, { jid: session.jid, file }),
  }
}

/** Characters that separate or select addresses of a broker must not come from a name. */
function fill(pattern: string, { type, class: ofClass }: LogEvent, { id, name }: Session): string {
  const values: Readonly<Record<string, string>> = { session: name || id, id, type, class: ofClass }
  return pattern.replace(/\{(\w+)\}/g, (all, key: string) =>
    key in values ? String(values[key]).replace(/[^\w-]/g, '_') : all,
  )
}
