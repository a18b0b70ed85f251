import { AsyncLocalStorage } from 'node:async_hooks'

/** Which try of its work a consumer or a job is at. */
export interface Attempt {
  /** 1 for the first. */
  readonly number: number
  /** An operator asked for it: what was refused before is tried again. */
  readonly isManual: boolean
}

declare global {
  var wamuxManual: { readonly context: AsyncLocalStorage<true>; running: number } | undefined
}

// A global, as the table of errors is: a process can load this module twice.
globalThis.wamuxManual ??= { context: new AsyncLocalStorage<true>(), running: 0 }
const manual = globalThis.wamuxManual

/**
 * Runs a try of work. What it sends learns from `isManual` that an operator asked for it, without a word from the plugin:
 * otherwise a retry that its author did not think of would only repeat the stored refusal.
 */
export async function attempting<T>({ isManual }: Attempt, work: () => Promise<T>): Promise<T> {
  if (!isManual) return work()
  manual.running += 1
  try {
    return await manual.context.run(true, work)
  } finally {
    manual.running -= 1
    // While it is enabled, every promise of the process costs more.
    if (manual.running === 0) manual.context.disable()
  }
}

/** Whether the code that calls this is part of a try that an operator asked for. */
export function isManual(): boolean {
  return manual.context.getStore() === true
}
