import { type Signal, signal } from '@preact/signals'
import { api, of } from '../../api.ts'
import { follow, type Live } from '../../live.ts'
import { createQrOnShow, type QrOnShow, SILENCE_MS } from '../../parts/qr-on-show.ts'

/** The data of `GET /session/linking/stream`. */
interface View {
  readonly State: 'preparing' | 'scan' | 'waiting' | 'passkey' | 'finishing' | 'linked' | 'failed'
  readonly Image?: string
  readonly ExpiresIn?: number
  readonly Step?: string
  readonly Code?: string
  readonly Reason?: string
}

export interface LinkProgress {
  readonly view: Signal<View | undefined>
  readonly qr: Pick<QrOnShow, 'image' | 'secondsLeft'>
  readonly live: Live
  /** Opens a link to the network. */
  start(): Promise<void>
  /** Ends the attempt and begins another. */
  again(): Promise<void>
  close(): void
}

export function openLinking(session: string): LinkProgress {
  const view: LinkProgress['view'] = signal(undefined)
  const qr = createQrOnShow()
  let lastBeat = Date.now()

  const live = follow(
    '/session/linking/stream',
    ({ type, data }) => {
      lastBeat = Date.now()
      if (type !== 'message') return
      const next = data as View
      view.value = next
      if (next.State !== 'scan' || !next.Image?.startsWith('data:image/svg+xml;base64,')) return qr.clear()
      qr.show(next.Image, next.ExpiresIn ?? 0)
    },
    { session },
  )
  function tick(): void {
    if (Date.now() - lastBeat > SILENCE_MS || live.state.value !== 'live') return qr.clear()
    qr.tick()
  }
  const timer = setInterval(tick, 500)
  const start = async (): Promise<void> => {
    await api.post('/session/connect', {}, of(session))
  }
  return {
    view,
    qr,
    live,
    start,
    async again() {
      await api.post('/session/disconnect', undefined, of(session)).catch(() => undefined)
      await start()
    },
    close() {
      clearInterval(timer)
      qr.clear()
      live.close()
    },
  }
}
