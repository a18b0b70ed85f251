import { type Signal, signal } from '@preact/signals'

/** The gateway sends something every four seconds: after a longer silence the code is hidden. */
export const SILENCE_MS = 13_000

/** The QR code of an attempt to link, while it is valid. */
export interface QrOnShow {
  /** A data URL, '' while no valid code is known. */
  readonly image: Signal<string>
  readonly secondsLeft: Signal<number>
  show(image: string, ms: number): void
  clear(): void
  /** Counts down and clears an expired code. */
  tick(): void
}

export function createQrOnShow(): QrOnShow {
  const [image, secondsLeft] = [signal(''), signal(0)]
  let until = 0
  const clear = (): void => {
    image.value = ''
    secondsLeft.value = 0
    until = 0
  }
  const tick = (): void => {
    const left = until - Date.now()
    if (left <= 0) return clear()
    secondsLeft.value = Math.ceil(left / 1000)
  }
  return {
    image,
    secondsLeft,
    show(code, ms) {
      image.value = code
      until = Date.now() + ms
      tick()
    },
    clear,
    tick,
  }
}
