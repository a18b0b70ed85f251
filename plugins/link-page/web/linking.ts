import { batch, signal } from '@preact/signals'
import { createQrOnShow, SILENCE_MS } from '../../dashboard/web/parts/qr-on-show.ts'
import { focusNext, post, reloadIfOver, say } from './page.ts'
import { code, hideCode, showCode, tickCode } from './pairing-code.ts'
import { type PasskeyView, showPasskey } from './passkey.ts'
import { t, textFor } from './text.ts'

/** The data of `GET /link/{token}/stream`. */
type View =
  | { readonly State: 'preparing' | 'waiting' | 'finishing' | 'expired' | 'revoked' }
  | {
      readonly State: 'scan'
      readonly Image: string
      readonly ExpiresIn: number
      readonly Code?: string
      readonly CodeExpiresIn?: number
    }
  | PasskeyView
  | { readonly State: 'linked'; readonly Number: string }
  | { readonly State: 'failed'; readonly Reason: string }

export type Part = 'link' | 'wait' | 'passkey' | 'result'

export interface Result {
  readonly heading: string
  readonly text: string
  readonly isGood: boolean
  readonly canRetry: boolean
}

const FINAL: readonly string[] = ['linked', 'expired', 'revoked']

/** The part of the page being shown. */
export const part = signal<Part>('link')
export const result = signal<Result>({ heading: '', text: '', isGood: false, canRetry: false })
export const qr = createQrOnShow()
/** The selected tab. */
export const way = signal<'qr' | 'code'>('qr')
/** The gateway refuses: the page that it sends explains why. */
export const isClosed = signal(false)

let stream: EventSource | undefined
let lastBeat = 0
let isOver = false

export function start(): void {
  // A telephone can't scan its own screen.
  if (matchMedia('(pointer: coarse) and (max-width: 600px)').matches) way.value = 'code'
  show({ State: 'preparing' })
  connect()
  setInterval(tick, 500)
  window.addEventListener('online', connect)
  window.addEventListener('offline', lose)
  window.addEventListener('pagehide', () => {
    qr.clear()
    stream?.close()
  })
  // Restored from the back/forward cache, which pauses scripts.
  window.addEventListener('pageshow', ({ persisted }) => persisted && connect())
}

export function select(wanted: 'qr' | 'code'): void {
  way.value = wanted
  if (part.value === 'link') say(statusOfWay())
}

export async function retry(): Promise<void> {
  const { status } = await post('retry')
  // The stream shows the new attempt, and may already have shown its QR code before this answer arrived.
  if (status !== 200 && !reloadIfOver(status)) say(t('noAnswer'))
}

function show(view: View): void {
  switch (view.State) {
    case 'preparing':
      return wait('link', way.value === 'qr' ? t('preparing') : statusOfCode())
    case 'waiting':
      return wait('link', t('waiting'))
    case 'finishing':
      return wait('wait', t('finishing'))
    case 'scan':
      return scan(view)
    case 'passkey':
      return passkey(view)
    case 'linked': {
      const { Number: digits } = view
      return end('linked', { isGood: true, text: digits ? t('linked', { digits }) : t('linkedAlone') })
    }
    case 'failed':
      return end(view.Reason, { canRetry: view.Reason !== 'refused' })
    default:
      return end(view.State)
  }
}

function scan(view: View & { State: 'scan' }): void {
  showPart('link')
  qr.show(view.Image, view.ExpiresIn)
  const hadCode = code.value !== ''
  if (view.Code) showCode(view.Code, view.CodeExpiresIn ?? 0)
  if (view.Code && !hadCode) way.value = 'code'
  say(statusOfWay())
}

function passkey(view: PasskeyView): void {
  if (view.Step === 'failed')
    return end(view.Reason === 'timeout' ? 'passkeyTimeout' : 'passkeyFailed', { canRetry: true })
  qr.clear()
  if (view.Step === 'confirmed') return wait('wait', t('passkeyConfirmed'))
  showPart('passkey')
  return showPasskey(view)
}

function wait(name: Part, text: string): void {
  qr.clear()
  showPart(name)
  say(text)
}

function end(name: string, { isGood = false, canRetry = false, text = textFor(name) ?? '' } = {}): void {
  qr.clear()
  hideCode()
  result.value = { heading: textFor(`${name}Heading`) ?? '', text, isGood, canRetry }
  showPart('result')
  say('')
}

/** Moves the focus to the heading of a new part, for keyboards and screen readers. */
function showPart(name: Part): void {
  if (name === part.value) return
  part.value = name
  focusNext.value = `${name}-heading`
}

function statusOfWay(): string {
  if (way.value === 'code') return statusOfCode()
  return t(qr.image.value ? 'scan' : 'preparing')
}

function statusOfCode(): string {
  return code.value ? t('codeReady') : ''
}

function connect(): void {
  if (isOver) return
  stream?.close()
  lastBeat = Date.now()
  const own = new EventSource(`${location.pathname}/stream`)
  stream = own
  own.addEventListener('alive', beat)
  own.addEventListener('message', ({ data }) => {
    beat()
    const view: View = JSON.parse(data)
    isOver = FINAL.includes(view.State)
    if (isOver) own.close()
    batch(() => show(view))
  })
  own.addEventListener('error', () => {
    if (isOver) return
    lose()
    if (own.readyState !== EventSource.CLOSED) return
    say(t('closed'))
    isClosed.value = true
  })
}

function beat(): void {
  lastBeat = Date.now()
  isClosed.value = false
}

/** A code that is no longer renewed is hidden. */
function lose(): void {
  qr.clear()
  say(t('lost'))
}

function tick(): void {
  tickCode()
  if (!isOver && stream?.readyState !== EventSource.CLOSED && Date.now() - lastBeat > SILENCE_MS) {
    lose()
    connect()
  }
  if (!qr.image.value) return
  qr.tick()
  if (!qr.image.value && way.value === 'qr') say(t('preparing'))
}
