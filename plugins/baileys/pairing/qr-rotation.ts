import type { LinkTimes } from './times.ts'

export interface QrRotationParts {
  times: Pick<LinkTimes, 'qrFirstMs' | 'qrNextMs'>
  /** Shows the code of a ref for `ms`. */
  show(ref: string, ms: number): void
  /** Whether the link must stay open without a QR code, as while a pairing code can be entered. */
  isHeld(): boolean
  /** No code is left, and nothing holds the link. */
  onEnded(): void
}

/** The QR codes of one link: one for each ref of the network, one after the other. */
export interface QrRotation {
  start(refs: readonly string[]): void
  /** Shows the current code again, for the rest of its time: what it contains has changed. */
  refresh(): void
  /** Shows no further code until `resume`. */
  pause(): void
  resume(): void
  /** What held the link has ended: ends the rotation too if no code is left. */
  release(): void
  stop(): void
}

/** The times of WhatsApp Web (WAWebHandlePairDevice): the first code 60 s, the others 20 s each. */
export function createQrRotation({ times, show, isHeld, onEnded }: QrRotationParts): QrRotation {
  let refs: string[] = []
  let current = ''
  let until = 0
  let timer: NodeJS.Timeout | undefined
  let state: 'idle' | 'running' | 'paused' | 'over' = 'idle'

  function display(ms: number): void {
    clearTimeout(timer)
    until = Date.now() + ms
    timer = setTimeout(next, ms, times.qrNextMs)
    show(current, ms)
  }

  function next(ms: number): void {
    const ref = refs.shift()
    if (ref === undefined) return end()
    current = ref
    return display(ms)
  }

  function end(): void {
    state = 'over'
    if (!isHeld()) onEnded()
  }

  return {
    start(given) {
      refs = [...given]
      state = 'running'
      next(times.qrFirstMs)
    },
    refresh() {
      if (state === 'running') display(Math.max(until - Date.now(), 1))
    },
    pause() {
      if (state !== 'running' && state !== 'over') return
      clearTimeout(timer)
      state = 'paused'
    },
    resume() {
      if (state !== 'paused') return
      state = 'running'
      // The phone has used the ref of the code that was shown last, but it may be the only one.
      if (refs.length > 0) next(times.qrNextMs)
      else display(times.qrNextMs)
    },
    release() {
      if (state === 'over' && !isHeld()) onEnded()
    },
    stop() {
      clearTimeout(timer)
      state = 'idle'
    },
  }
}
