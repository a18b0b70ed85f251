import { AsyncLocalStorage, createHook } from 'node:async_hooks'
import { eventually } from './eventually.ts'

/** What can hold a process open, by Node's own names. */
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
  /** Where in the code, innermost first, without Node's own. */
  frames: readonly string[]
}

type Scope = Map<number, OpenResource>

/** Records what is opened by work that is run in it, directly or by whatever that work starts. */
export interface Watch {
  run<T>(work: () => T): T
  /** What is still open after a moment, each with the place in the code that opened it. */
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

/** Things that were closed take a turn of the event loop or two to be gone. */
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
      // What is left is the outcome, not a failure of the wait.
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
  // Baileys leaves timers of up to a minute behind when a link ends during a query; they are no plugin's doing.
  if (frames[0]?.includes('/@whiskeysockets/baileys/')) return false
  // What is unref'd holds nothing open.
  return resource.hasRef?.() !== false
}

/** Places of libraries only where nothing else is known. */
function wordsOf({ kind, resource, frames }: OpenResource): string {
  const own = frames.filter((line) => !line.includes('/node_modules/'))
  const place = (own.length > 0 ? own : frames).slice(0, 3).join(' < ') || 'a place that Node does not report'
  const name: { address?: string; port?: number } = {}
  resource.getsockname?.(name)
  return `${kind}${name.port ? ` (${name.address} port ${name.port})` : ''} opened at ${place}`
}
