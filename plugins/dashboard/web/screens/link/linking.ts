import { type Signal, signal } from '@preact/signals'
import { api, of } from '../../api.ts'
import { follow, type Live } from '../../live.ts'

/** As `GET /session/linking/stream` has it. */
export interface View {
  readonly State: 'preparing' | 'scan' | 'waiting' | 'passkey' | 'finishing' | 'linked' | 'failed'
  readonly Image?: string
  readonly ExpiresIn?: number
  readonly Step?: string
  readonly Code?: string
  readonly Reason?: string
}

export interface Linking {
  readonly view: Signal<View | undefined>
  /** The QR code, while it is known to be valid. */
  readonly image: Signal<string>
  readonly secondsLeft: Signal<number>
  readonly live: Live
  /** Opens a link to the network. */
  start(): Promise<void>
  /** Ends the attempt, and begins another. */
  again(): Promise<void>
  close(): void
}

/** The gateway sends something every four seconds: a code is not shown when it is silent for longer. */
const SILENCE_MS = 13_000

export function openLinking(session: string): Linking {
  const view: Linking['view'] = signal(undefined)
  const [image, secondsLeft] = [signal(''), signal(0)]
  let until = 0
  let lastBeat = Date.now()

  const clear = (): void => {
    image.value = ''
    until = 0
    secondsLeft.value = 0
  }
  const live = follow(
    '/session/linking/stream',
    ({ type, data }) => {
      lastBeat = Date.now()
      if (type !== 'message') return
      const next = data as View
      view.value = next
      if (next.State !== 'scan' || !next.Image?.startsWith('data:image/svg+xml;base64,')) return clear()
      image.value = next.Image
      until = Date.now() + (next.ExpiresIn ?? 0)
      tick()
    },
    { session },
  )
  function tick(): void {
    const now = Date.now()
    if (!until) return
    if (now >= until || now - lastBeat > SILENCE_MS || live.state.value !== 'live') return clear()
    secondsLeft.value = Math.ceil((until - now) / 1000)
  }
  const timer = setInterval(tick, 500)
  const start = async (): Promise<void> => {
    await api.post('/session/connect', {}, of(session))
  }
  return {
    ...{ view, image, secondsLeft, live, start },
    async again() {
      await api.post('/session/disconnect', undefined, of(session)).catch(() => undefined)
      await start()
    },
    close() {
      clearInterval(timer)
      clear()
      live.close()
    },
  }
}
