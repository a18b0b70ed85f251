import { type Signal, useSignal } from '@preact/signals'
import { useCallback, useEffect, useRef } from 'preact/hooks'
import { textOf } from '../api.ts'

export interface Loaded<T> {
  /** undefined until first read. */
  readonly data: Signal<T | undefined>
  readonly error: Signal<string>
  reload(): Promise<void>
}

/** Loads data when the component is shown, and whenever one of `inputs` changes. */
export function useLoad<T>(read: () => Promise<T>, inputs: readonly unknown[] = []): Loaded<T> {
  const data = useSignal<T | undefined>(undefined)
  const error = useSignal('')
  const turn = useRef(0)
  const latest = useRef(read)
  latest.current = read
  const reload = useCallback(async () => {
    turn.current += 1
    const own = turn.current
    try {
      const value = await latest.current()
      if (own !== turn.current) return
      data.value = value
      error.value = ''
    } catch (failure) {
      if (own === turn.current) error.value = textOf(failure)
    }
  }, [data, error])
  useEffect(() => {
    void reload()
    return () => {
      turn.current += 1
    }
  }, [reload, ...inputs])
  return { data, error, reload }
}
