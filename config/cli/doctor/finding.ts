/** The outcome of one check. */
export interface Finding {
  check: string
  /** `skip`: there was nothing to check, or no way to. */
  state: 'ok' | 'warn' | 'fail' | 'skip'
  found: string
  /** What to do; absent where there is nothing to do. */
  advice?: string
}

export const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found })
export const skip = (check: string, found: string): Finding => ({ check, state: 'skip', found })
export const warn = (check: string, found: string, advice: string): Finding => ({
  check,
  state: 'warn',
  found,
  advice,
})
export const fail = (check: string, found: string, advice: string): Finding => ({
  check,
  state: 'fail',
  found,
  advice,
})
