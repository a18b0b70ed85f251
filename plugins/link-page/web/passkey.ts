import { signal } from '@preact/signals'
import { type Challenge, findExtension } from './extension.ts'
import { focusNext, post, reloadIfOver, say } from './page.ts'
import { extensionId, t } from './text.ts'

export interface PasskeyView {
  readonly State: 'passkey'
  readonly Step: 'challenge' | 'submitted' | 'confirm' | 'confirmed' | 'failed'
  readonly Challenge?: Challenge
  readonly Code?: string
  readonly Reason?: string
}

export const step = signal<PasskeyView['Step']>('challenge')
export const challenge = signal<Challenge | undefined>(undefined)
/** Must match the code on the phone. */
export const phoneCode = signal('')
/** Whether an extension was found; undefined while unknown. */
export const hasExtension = signal<boolean | undefined>(undefined)
export const pasted = signal('')
/** The error to show. */
export const signError = signal('')
export const confirmError = signal('')

/** The challenge that the extension is signing. */
let signing: Challenge | undefined
/** Searched for when the page opens: there is no time to wait for it when the passkey is requested. */
const extension = findExtension(extensionId)

/** Shows the step that the gateway has sent. */
export function showPasskey(view: PasskeyView): void {
  step.value = view.Step
  if (view.Step === 'challenge' && view.Challenge) return ask(view.Challenge)
  if (view.Step === 'submitted') return say(t('passkeySent'))
  say(t('passkeyConfirm'))
  if (!view.Code || view.Code === phoneCode.value) return undefined
  phoneCode.value = view.Code
  focusNext.value = 'confirm-heading'
  return undefined
}

function ask(asked: Challenge): void {
  // A reconnected stream sends the same challenge again.
  if (asked.challenge !== challenge.value?.challenge) {
    challenge.value = asked
    signError.value = ''
  }
  say(t(signing && signing === challenge.value ? 'passkeySigning' : 'passkeyNeeded'))
  void extension.then((found) => {
    hasExtension.value = found !== undefined
  })
}

/** An extension may never answer: that blocks only its own challenge, not the next attempt's. */
export async function sign(): Promise<void> {
  const asked = challenge.value
  const found = await extension
  if (!asked || !found || signing === asked) return
  signing = asked
  signError.value = ''
  say(t('passkeySigning'))
  try {
    const credential = await found.sign(asked)
    if (challenge.value === asked) await send(credential)
  } catch (error) {
    if (challenge.value !== asked) return
    say(t('passkeyNeeded'))
    signError.value = t('passkeySignFailed', { reason: error instanceof Error ? error.message : '' })
  } finally {
    if (signing === asked) signing = undefined
  }
}

export async function sendPasted(): Promise<void> {
  signError.value = ''
  const credential = parse(pasted.value)
  if (credential) return send(credential)
  signError.value = t('passkeyNotJson')
  focusNext.value = 'result'
  return undefined
}

/** Reports whether the codes match. */
export async function answer(path: 'passkey/confirm' | 'cancel'): Promise<void> {
  confirmError.value = ''
  const { status } = await post(path)
  if (status !== 200) confirmError.value = t('noAnswer')
}

async function send(credential: object): Promise<void> {
  const { status } = await post('passkey', credential)
  // The stream reports that it was sent, and may be a step further when this answer arrives.
  if (status === 200 || reloadIfOver(status)) return
  signError.value = t(status === 400 ? 'passkeyNotJson' : 'noAnswer')
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** For the console of web.whatsapp.com: a button, because a passkey requires a click. */
export function scriptOf(options: Challenge): string {
  const [label, done, hint] = [t('scriptButton'), t('scriptDone'), t('scriptCopy')].map((text) =>
    JSON.stringify(text),
  )
  return `(() => {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)})
  const button = document.createElement('button')
  button.textContent = ${label}
  button.style.cssText = 'position:fixed;top:24px;left:24px;z-index:2147483647;padding:14px 22px;' +
    'font:600 16px system-ui;color:#fff;background:#00684a;border:0;border-radius:10px;cursor:pointer'
  button.onclick = async () => {
    try {
      const credential = await navigator.credentials.get({ publicKey })
      const text = JSON.stringify(credential.toJSON())
      const isCopied = await navigator.clipboard.writeText(text).then(() => true, () => false)
      if (isCopied) button.textContent = ${done}
      else prompt(${hint}, text)
    } catch (error) {
      button.textContent = error.message
    }
  }
  document.body.append(button)
})()`
}
