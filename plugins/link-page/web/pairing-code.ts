import { batch, signal } from '@preact/signals'
import { focusNext, post, reloadIfOver, say } from './page.ts'
import { type TextName, t } from './text.ts'

/** Messages for refused pairing codes. */
const REFUSALS: Readonly<Record<number, TextName>> = {
  400: 'phoneInvalid',
  403: 'codeRefused',
  429: 'codesUsedUp',
}

export const phone = signal('')
/** Whether a code, possibly expired, is shown instead of the form. */
export const isGiven = signal(false)
/** '' once it has expired. */
export const code = signal('')
export const msLeft = signal(0)
/** Errors shown below the field and below the code. */
export const phoneError = signal('')
export const codeError = signal('')

let until = 0

/** Shows a code until it expires. */
export function showCode(text: string, ms: number): void {
  until = Date.now() + ms
  isGiven.value = true
  if (text !== code.value) codeError.value = ''
  code.value = text
  tickCode()
}

export function hideCode(): void {
  forget()
  isGiven.value = false
}

export function tickCode(): void {
  if (!code.value) return
  msLeft.value = until - Date.now()
  if (msLeft.value > 0) return
  forget()
  codeError.value = t('codeOver')
}

function forget(): void {
  code.value = ''
  until = 0
}

/** Uses the number in the form. */
export function requestCode(): Promise<void> {
  return request(phoneError)
}

export async function requestAnother(): Promise<void> {
  if (phone.value) return request(codeError)
  // After a reload the number is no longer known.
  hideCode()
  focusNext.value = 'phone'
  return undefined
}

export function takeOtherNumber(): void {
  hideCode()
  say('')
  focusNext.value = 'phone'
}

async function request(error: typeof phoneError): Promise<void> {
  error.value = ''
  say(t('codeGetting'))
  const { status, data } = await post<{ Code: string; ExpiresIn: number }>('code', { Phone: phone.value })
  if (reloadIfOver(status)) return
  batch(() => {
    say(status === 200 ? t('codeReady') : '')
    if (status === 200 && data) {
      showCode(data.Code, data.ExpiresIn)
      focusNext.value = 'code-heading'
      return
    }
    if (status === 400 && error === phoneError) focusNext.value = 'phone'
    error.value = t(REFUSALS[status] ?? 'noAnswer')
  })
}
