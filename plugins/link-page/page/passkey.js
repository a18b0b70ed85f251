import { findExtension } from './extension.js'
import { byId, copy, extensionId, fill, onPress, onSubmit, post, say, setText, show, texts } from './page.js'

let challenge
/** The challenge that the extension is signing. */
let signing
let shownCode = ''
/** Looked for when the page opens: when the passkey is asked for, there is no time to wait for it. */
const extension = findExtension(extensionId)

/** Shows the step of the passkey that the gateway has sent. */
export function showPasskey({ Step: step, Challenge: asked, Code: code }) {
  show('passkey-sign', step === 'challenge')
  show('passkey-confirm', step === 'confirm')
  if (step === 'challenge') return ask(asked)
  if (step === 'submitted') return say(texts.passkeySent)
  say(texts.passkeyConfirm)
  if (code === shownCode) return undefined
  shownCode = code
  const element = byId('confirm-code')
  element.textContent = code
  element.setAttribute('role', 'img')
  element.setAttribute('aria-label', [...code].join(' '))
  return byId('confirm-heading').focus()
}

async function ask(asked) {
  // A stream that was broken sends the same one again.
  if (asked.challenge !== challenge?.challenge) {
    challenge = asked
    byId('script').value = scriptOf(asked)
    setText('sign-error', '')
  }
  say(signing === challenge ? texts.passkeySigning : texts.passkeyNeeded)
  const found = await extension
  show('with-extension', found !== undefined)
  show('without-extension', found === undefined)
}

/** An extension may never answer: that holds up its own challenge only, not that of the next attempt. */
async function sign() {
  const asked = challenge
  if (signing === asked) return
  signing = asked
  setText('sign-error', '')
  say(texts.passkeySigning)
  try {
    const found = await extension
    const credential = await found.sign(asked)
    if (challenge === asked) await send(credential)
  } catch (error) {
    if (challenge !== asked) return
    say(texts.passkeyNeeded)
    setText('sign-error', fill(texts.passkeySignFailed, { reason: error.message }))
  } finally {
    if (signing === asked) signing = undefined
  }
}

async function send(credential) {
  const { status } = await post('passkey', credential)
  // The stream says that it was sent, and may be a step further when this answer comes.
  if (status === 200) return
  if (status === 404 || status === 410) location.reload()
  else setText('sign-error', status === 400 ? texts.passkeyNotJson : texts.noAnswer)
}

async function sendPasted() {
  setText('sign-error', '')
  const credential = parse(byId('result').value)
  if (credential) return send(credential)
  setText('sign-error', texts.passkeyNotJson)
  return byId('result').focus()
}

function parse(text) {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' ? value : undefined
  } catch {
    return undefined
  }
}

async function answer(path) {
  setText('confirm-error', '')
  const { status } = await post(path)
  if (status !== 200) setText('confirm-error', texts.noAnswer)
}

/** For the console of web.whatsapp.com: a button, because a passkey is given to a press only. */
function scriptOf(options) {
  const [label, done, hint] = [texts.scriptButton, texts.scriptDone, texts.scriptCopy].map((text) =>
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

byId('sign').addEventListener('click', sign)
onSubmit('result-form', sendPasted)
onPress('script-copy', () => copy(byId('script').value, byId('script')))
onPress('confirm-yes', () => answer('passkey/confirm'))
onPress('confirm-no', () => answer('cancel'))
