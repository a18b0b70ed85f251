import { byId, copy, fill, minutesOf, onPress, onSubmit, post, say, setText, show, texts } from './page.js'

/** What to say when the gateway gives no code. */
const REFUSALS = { 400: 'phoneInvalid', 403: 'codeRefused', 429: 'codesUsedUp' }

let code = ''
let until = 0

/** Shows a code in two groups until it is no longer valid. */
export function showCode(text, ms) {
  until = Date.now() + ms
  show('code-form', false)
  show('code-part', true)
  show('code-copy', true)
  if (text === code) return
  code = text
  const element = byId('code')
  element.replaceChildren(...[text.slice(0, 4), text.slice(4)].map(group))
  // Read letter by letter.
  element.setAttribute('aria-label', [...text].join(' '))
  element.setAttribute('role', 'img')
  setText('code-error', '')
  tickCode(Date.now())
}

export function hideCode() {
  forget()
  show('code-part', false)
  show('code-form', true)
}

export function tickCode(now) {
  if (!until) return
  if (now < until) return setText('code-left', fill(texts.codeValid, { time: minutesOf(until - now) }))
  forget()
  setText('code-error', texts.codeOver)
}

function forget() {
  code = ''
  until = 0
  byId('code').replaceChildren()
  byId('code').removeAttribute('aria-label')
  setText('code-left', '')
  show('code-copy', false)
}

function group(text) {
  const part = document.createElement('span')
  part.textContent = text
  return part
}

/** @param where the element for what went wrong */
async function request(where) {
  setText(where, '')
  const field = byId('phone')
  field.removeAttribute('aria-invalid')
  say(texts.codeGetting)
  const { status, data } = await post('code', { Phone: field.value })
  if (status === 404 || status === 410) return location.reload()
  say(status === 200 ? texts.codeReady : '')
  if (status === 200) {
    showCode(data.Code, data.ExpiresIn)
    return byId('code-heading').focus()
  }
  if (where === 'phone-error' && status === 400) {
    field.setAttribute('aria-invalid', 'true')
    field.focus()
  }
  return setText(where, texts[REFUSALS[status] ?? 'noAnswer'])
}

onSubmit('code-form', () => request('phone-error'))
onPress('code-new', () => {
  if (byId('phone').value) return request('code-error')
  // After a reload the number is not known any more.
  hideCode()
  return byId('phone').focus()
})
onPress('code-other', () => {
  hideCode()
  say('')
  byId('phone').focus()
})
onPress('code-copy', () => copy(code, byId('code')))
