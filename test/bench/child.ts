import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { compile } from '../support/build.ts'

export interface Kinded {
  kind: string
}

/** A process of the benchmark, and what it says. */
export interface Child<In extends Kinded, Out extends Kinded> {
  /** The next message of that kind; rejects when the process ends. */
  heard<K extends In['kind']>(kind: K): Promise<Extract<In, { kind: K }>>
  /** Every message of that kind. */
  on<K extends In['kind']>(kind: K, take: (message: Extract<In, { kind: K }>) => void): void
  send(message: Out): void
  end(): void
}

/** @param name of a file beside this one, without `.ts`. */
export function startChild<In extends Kinded, Out extends Kinded>(
  name: string,
  { args = [], isMeasured = true }: { args?: string[]; isMeasured?: boolean } = {},
): Child<In, Out> {
  const source = fileURLToPath(new URL(`${name}.ts`, import.meta.url))
  const child = isMeasured
    ? fork(compile(source), args, { execArgv: ['--expose-gc'] })
    : fork(source, args, { execArgv: ['--conditions=wamux:source', '--import', 'tsx'] })
  return {
    heard: (kind) =>
      new Promise((resolve, reject) => {
        const take = (message: unknown): void => {
          if ((message as In).kind !== kind) return
          child.off('message', take)
          resolve(message as Extract<In, { kind: typeof kind }>)
        }
        child.on('message', take)
        child.once('exit', (code) => reject(new Error(`${name} ended with ${code}`)))
      }),
    on(kind, take) {
      child.on('message', (message: In) => {
        if (message.kind === kind) take(message as Extract<In, { kind: typeof kind }>)
      })
    },
    send: (message) => void child.send(message),
    end: () => void child.kill('SIGKILL'),
  }
}
