import { startTimer, type Timer } from 'wamux/plugin'
import type { LinkTimes } from './times.ts'

export interface QrRotationParts {
  times: Pick<LinkTimes, 'qrFirstMs' | 'qrNextMs'>
  /** Shows the code of a ref for `ms`. */
  show(ref: string, ms: number): void
  /** Whether the link must stay open without a QR code, for example while a pairing code can be entered. */
  isHeld(): boolean
  /** No code is left, and nothing holds the link. */
  onEnded(): void
}

/** The QR codes of one link, one after the other: one for each ref from the network. */
export interface QrRotation {
  start(refs: readonly string[]): void
  /** Shows the current code again for the rest of its time, with its new content. */
  refresh(): void
  /** Shows no further code until `resume`. */
  pause(): void
  resume(): void
  /** The link is no longer held: ends the rotation if no code is left. */
  release(): void
  stop(): void
}

/** The times of WhatsApp Web (WAWebHandlePairDevice): 60 s for the first code, 20 s for each further one. */
export function createQrRotation({ times, show, isHeld, onEnded }: QrRotationParts): QrRotation {
  let refs: string[] = []
  let current = ''
  let until = 0
  let timer: Timer | undefined
  let state: 'idle' | 'running' | 'paused' | 'over' = 'idle'

  function display(ms: number): void {
    timer?.stop()
    until = Date.now() + ms
    timer = startTimer(ms, () => next(times.qrNextMs))
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
      timer?.stop()
      state = 'paused'
    },
    resume() {
      if (state !== 'paused') return
      state = 'running'
      // The phone has used the ref of the last code, but there may be no other.
      if (refs.length > 0) next(times.qrNextMs)
      else display(times.qrNextMs)
    },
    release() {
      if (state === 'over' && !isHeld()) onEnded()
    },
    stop() {
      timer?.stop()
      state = 'idle'
    },
  }
}
