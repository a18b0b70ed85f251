import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { compile } from '../support/run/build.ts'

/** The methods of another process, each of which answers with a promise. */
export type Remote<M> = {
  [K in keyof M]: M[K] extends (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>> : never
}

/** A process of the benchmark. */
export interface Child<M> {
  readonly pid: number
  readonly call: Remote<M>
  end(): Promise<void>
}

interface Reply {
  id: number
  result?: unknown
  error?: string
}

/** @param name of a file in processes/, without `.ts`; it runs compiled, as a loader would be measured with it. */
export function startChild<M>(name: string): Child<M> {
  const source = fileURLToPath(new URL(`processes/${name}.ts`, import.meta.url))
  // Without the loader of TypeScript that this process runs with, and with the modules that `built` imports.
  const child = fork(compile(source), { execArgv: ['--conditions=wamux:modules'] })
  const pending = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>()
  let last = 0
  child.on('message', ({ id, result, error }: Reply) => {
    const call = pending.get(id)
    pending.delete(id)
    if (error === undefined) call?.resolve(result)
    else call?.reject(new Error(`${name}: ${error}`))
  })
  child.once('exit', (code, signal) => {
    for (const { reject } of pending.values()) reject(new Error(`${name} ended with ${code ?? signal}`))
  })
  const call = (method: string, args: unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (!child.connected) return reject(new Error(`${name} has ended`))
      last += 1
      pending.set(last, { resolve, reject })
      child.send({ id: last, method, args })
    })
  return {
    pid: child.pid ?? 0,
    call: new Proxy({} as Remote<M>, {
      get:
        (_, method: string) =>
        (...args: unknown[]) =>
          call(method, args),
    }),
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}
