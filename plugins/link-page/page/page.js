/** Parts and texts of the document, and calls to the gateway. */

export const byId = (id) => document.getElementById(id)

const app = byId('app')
/** @type {Record<string, string>} */
export const texts = JSON.parse(app.dataset.texts)
export const extensionId = app.dataset.extension

export function show(id, isShown) {
  byId(id).hidden = !isShown
}

export function setText(id, text) {
  const element = byId(id)
  // Setting the same text would make a screen reader read it again.
  if (element.textContent !== text) element.textContent = text
}

/** The sentence below everything else, which screen readers read when it changes. */
export function say(text) {
  setText('status', text)
}

export function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all)
}

/** `2:05` */
export function minutesOf(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** Calls a route of this link; resolves with the status, 0 without an answer, and the data. */
export async function post(path, body = {}) {
  try {
    const response = await fetch(`${location.pathname}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const { data } = await response.json()
    return { status: response.status, data }
  } catch {
    return { status: 0 }
  }
}

/** Runs `work` when the button is pressed; it can't be pressed again before that has ended. */
export function onPress(id, work) {
  const button = byId(id)
  button.addEventListener('click', () => busy(button, work))
}

/** The same for a form. */
export function onSubmit(id, work) {
  const form = byId(id)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void busy(form.querySelector('button'), work)
  })
}

/** Not by `disabled`, with which the button would lose the focus. */
async function busy(button, work) {
  if (button.getAttribute('aria-disabled') === 'true') return
  button.setAttribute('aria-disabled', 'true')
  try {
    await work()
  } finally {
    button.removeAttribute('aria-disabled')
  }
}

/** Copies, or selects the text where that is not allowed, as on pages without TLS. */
export async function copy(text, element) {
  try {
    await navigator.clipboard.writeText(text)
    say(texts.copied)
  } catch {
    if ('select' in element) element.select()
    else getSelection().selectAllChildren(element)
    say(texts.copyFailed)
  }
}
