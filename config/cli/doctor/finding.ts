/** The outcome of one check. */
export interface Finding {
  check: string
  /** `skip`: nothing to check, or no means to. */
  state: 'ok' | 'warn' | 'fail' | 'skip'
  found: string
  /** Advice; absent if nothing needs to be done. */
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
