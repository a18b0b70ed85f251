import { AsyncLocalStorage } from 'node:async_hooks'

/** The current attempt of a consumer or a job at its work. */
export interface Attempt {
  /** 1 for the first. */
  readonly number: number
  /** An operator requested it: previously refused work is tried again. */
  readonly isManual: boolean
}

declare global {
  var wamuxManual: { readonly context: AsyncLocalStorage<true>; running: number } | undefined
}

// A global, like the error table: a process can load this module twice.
globalThis.wamuxManual ??= { context: new AsyncLocalStorage<true>(), running: 0 }
const manual = globalThis.wamuxManual

/**
 * Runs one attempt. Sends within it see from `isManual` that an operator requested it, without any code in the plugin:
 * otherwise a retry that the plugin's author did not foresee would only repeat the stored refusal.
 */
export async function attempting<T>({ isManual }: Attempt, work: () => Promise<T>): Promise<T> {
  if (!isManual) return work()
  manual.running += 1
  try {
    return await manual.context.run(true, work)
  } finally {
    manual.running -= 1
    // An enabled storage makes every promise of the process more expensive.
    if (manual.running === 0) manual.context.disable()
  }
}

/** Whether the caller runs within an attempt that an operator requested. */
export function isManual(): boolean {
  return manual.context.getStore() === true
}
