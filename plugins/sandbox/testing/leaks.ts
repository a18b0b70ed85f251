import { AsyncLocalStorage, createHook } from 'node:async_hooks'
import { eventually } from './eventually.ts'

/** Resources that keep a process running, by Node's names. */
const KINDS: Readonly<Record<string, string>> = {
  Timeout: 'a timer',
  TCPSERVERWRAP: 'a server',
  TCPWRAP: 'a connection',
  PIPESERVERWRAP: 'a server on a pipe',
  PIPEWRAP: 'a pipe',
  UDPWRAP: 'a UDP socket',
  PROCESSWRAP: 'a child process',
  FSEVENTWRAP: 'a watched file',
  STATWATCHER: 'a watched file',
  WORKER: 'a worker thread',
  MESSAGEPORT: 'a message port',
}

interface OpenResource {
  kind: string
  resource: { hasRef?(): boolean; getsockname?(out: { address?: string; port?: number }): void }
  /** Where in the code it was opened, innermost first, without Node's own frames. */
  frames: readonly string[]
}

type Scope = Map<number, OpenResource>

/** Records resources opened by the work that it runs, directly or indirectly. */
interface Watch {
  run<T>(work: () => T): T
  /** Resources that are still open after a moment, each with the code that opened it. */
  leaks(): Promise<string[]>
}

const scopes = new AsyncLocalStorage<Scope>()
const watched = new Set<Scope>()
const hook = createHook({
  init(id, type, _trigger, resource) {
    const kind = KINDS[type]
    const scope = kind && scopes.getStore()
    if (!kind || !scope || !watched.has(scope)) return
    scope.set(id, { kind, resource, frames: framesOf() })
  },
  destroy(id) {
    for (const scope of watched) scope.delete(id)
  },
})

/** Closed resources take one or two turns of the event loop to disappear. */
const PATIENCE_MS = 1_000

export function watchLeaks(): Watch {
  const scope: Scope = new Map()
  watched.add(scope)
  hook.enable()
  const open = (): OpenResource[] => [...scope.values()].filter(isLeak)
  return {
    run: (work) => scopes.run(scope, work),
    async leaks() {
      const closed = (): boolean => open().length === 0
      // Remaining resources are the result, not a failure of the wait.
      await eventually(closed, 'closed', { progress: () => open().length, quietMs: PATIENCE_MS }).catch(
        () => undefined,
      )
      const left = open().map(wordsOf)
      watched.delete(scope)
      if (watched.size === 0) hook.disable()
      return left
    },
  }
}

function framesOf(): string[] {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 25
  const { stack = '' } = new Error()
  Error.stackTraceLimit = stackTraceLimit
  return stack
    .split('\n')
    .slice(1)
    .map((line) => line.trim().replace(/^at /, ''))
    .filter((line) => !/\bnode:|testing\/leaks\.[jt]s/.test(line))
}

function isLeak({ resource, frames }: OpenResource): boolean {
  // Baileys leaves timers of up to a minute when a link ends during a query; no plugin causes these.
  if (frames[0]?.includes('/@whiskeysockets/baileys/')) return false
  // Unreferenced resources keep nothing running.
  return resource.hasRef?.() !== false
}

/** Describes a resource; frames of libraries are named only if there are no others. */
function wordsOf({ kind, resource, frames }: OpenResource): string {
  const own = frames.filter((line) => !line.includes('/node_modules/'))
  const place = (own.length > 0 ? own : frames).slice(0, 3).join(' < ') || 'a place that Node does not report'
  const name: { address?: string; port?: number } = {}
  resource.getsockname?.(name)
  return `${kind}${name.port ? ` (${name.address} port ${name.port})` : ''} opened at ${place}`
}
