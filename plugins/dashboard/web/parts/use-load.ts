import { type Signal, useSignal } from '@preact/signals'
import { useCallback, useEffect, useRef } from 'preact/hooks'
import { isAway, textOf } from '../api.ts'
import { t } from '../text.ts'

export interface Loaded<T> {
  /** undefined until first read. */
  readonly data: Signal<T | undefined>
  readonly error: Signal<string>
  reload(): Promise<void>
}

const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 15_000

/**
 * Loads data when the component is shown, and whenever one of `inputs` changes; while the gateway is away it tries again.
 */
export function useLoad<T>(read: () => Promise<T>, inputs: readonly unknown[] = []): Loaded<T> {
  const data = useSignal<T | undefined>(undefined)
  const error = useSignal('')
  const turn = useRef(0)
  const latest = useRef(read)
  latest.current = read
  const reload = useCallback(async () => {
    turn.current += 1
    const own = turn.current
    async function attempt(wait: number): Promise<void> {
      try {
        const value = await latest.current()
        if (own !== turn.current) return
        data.value = value
        error.value = ''
      } catch (failure) {
        if (own !== turn.current) return
        error.value = textOf(failure)
        if (!isAway(failure)) return
        error.value += ` ${t('shell.retrying')}`
        setTimeout(() => {
          if (own === turn.current) void attempt(Math.min(MAX_WAIT_MS, wait * 2))
        }, wait)
      }
    }
    await attempt(FIRST_WAIT_MS)
  }, [data, error])
  useEffect(() => {
    void reload()
    return () => {
      turn.current += 1
    }
  }, [reload, ...inputs])
  return { data, error, reload }
}
