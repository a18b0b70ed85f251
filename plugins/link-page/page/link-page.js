import { byId, fill, onPress, post, say, setText, show, texts } from './page.js'
import { hideCode, showCode, tickCode } from './pairing-code.js'
import { showPasskey } from './passkey.js'

/** The gateway sends something every four seconds. */
const SILENCE_MS = 13_000
const FINAL = ['linked', 'expired', 'revoked']
const PARTS = ['link', 'wait', 'passkey', 'result']

const tabs = [byId('tab-qr'), byId('tab-code')]
const qr = byId('qr')
let stream
let lastBeat = 0
let qrUntil = 0
let part = ''
let isOver = false

/** What the page shows in each state that the gateway sends. */
const STATES = {
  preparing: () => wait('link', isQrTab() ? texts.preparing : codeStatus()),
  waiting: () => wait('link', texts.waiting),
  finishing: () => wait('wait', texts.finishing),
  scan(view) {
    showPart('link')
    qr.src = view.Image
    qrUntil = Date.now() + view.ExpiresIn
    qr.hidden = false
    show('qr-wait', false)
    const hadCode = !byId('code-part').hidden
    if (view.Code) showCode(view.Code, view.CodeExpiresIn)
    if (view.Code && !hadCode) select(tabs[1])
    say(isQrTab() ? texts.scan : codeStatus())
    tick()
  },
  passkey(view) {
    if (view.Step === 'failed')
      return result(view.Reason === 'timeout' ? 'passkeyTimeout' : 'passkeyFailed', { canRetry: true })
    clearQr()
    if (view.Step === 'confirmed') return wait('wait', texts.passkeyConfirmed)
    showPart('passkey')
    return showPasskey(view)
  },
  linked: ({ Number: digits }) =>
    result('linked', { isGood: true, text: digits ? fill(texts.linked, { digits }) : texts.linkedAlone }),
  failed: ({ Reason: reason }) => result(reason, { canRetry: reason !== 'refused' }),
  expired: () => result('expired', {}),
  revoked: () => result('revoked', {}),
}

function wait(name, text) {
  clearQr()
  showPart(name)
  say(text)
}

function result(name, { isGood = false, canRetry = false, text = texts[name] }) {
  clearQr()
  hideCode()
  setText('result-heading', texts[`${name}Heading`])
  setText('result-text', text)
  byId('part-result').classList.toggle('good', isGood)
  show('retry', canRetry)
  showPart('result')
  say('')
}

/** Moves the focus to the heading of a new part, so that keyboard and screen reader are where it is. */
function showPart(name) {
  if (name === part) return
  for (const one of PARTS) show(`part-${one}`, one === name)
  if (part) byId(`${name}-heading`).focus()
  part = name
}

function clearQr() {
  qr.hidden = true
  qr.removeAttribute('src')
  qrUntil = 0
  show('qr-wait', true)
  setText('qr-left', '')
}

function connect() {
  if (isOver) return
  stream?.close()
  lastBeat = Date.now()
  stream = new EventSource(`${location.pathname}/stream`)
  stream.addEventListener('alive', beat)
  stream.addEventListener('message', ({ data }) => {
    beat()
    const view = JSON.parse(data)
    isOver = FINAL.includes(view.State)
    if (isOver) stream.close()
    STATES[view.State]?.(view)
  })
  stream.addEventListener('error', () => {
    if (isOver) return
    lose()
    if (stream.readyState !== EventSource.CLOSED) return
    // The gateway refuses: it knows why, and the page that it sends says it.
    say(texts.closed)
    show('reload', true)
  })
}

function beat() {
  lastBeat = Date.now()
  show('reload', false)
}

/** A code that nobody renews is not shown. */
function lose() {
  clearQr()
  say(texts.lost)
}

function tick() {
  const now = Date.now()
  tickCode(now)
  if (!isOver && stream?.readyState !== EventSource.CLOSED && now - lastBeat > SILENCE_MS) {
    lose()
    connect()
  }
  if (!qrUntil) return
  if (now < qrUntil)
    return setText('qr-left', fill(texts.newIn, { seconds: Math.ceil((qrUntil - now) / 1000) }))
  clearQr()
  if (isQrTab()) say(texts.preparing)
}

function isQrTab() {
  return !byId('panel-qr').hidden
}

function codeStatus() {
  return byId('code').textContent ? texts.codeReady : ''
}

function select(tab) {
  for (const one of tabs) {
    const isSelected = one === tab
    one.setAttribute('aria-selected', String(isSelected))
    one.tabIndex = isSelected ? 0 : -1
    show(one.getAttribute('aria-controls'), isSelected)
  }
  if (part !== 'link') return
  if (isQrTab()) say(qrUntil ? texts.scan : texts.preparing)
  else say(codeStatus())
}

/** As the ARIA pattern for tabs has it: arrows, Home and End move between them. */
const MOVES = { ArrowLeft: 0, ArrowRight: 1, Home: 0, End: 1 }

for (const tab of tabs) {
  tab.addEventListener('click', () => select(tab))
  tab.addEventListener('keydown', (event) => {
    const other = tabs[MOVES[event.key]]
    if (!other) return
    event.preventDefault()
    select(other)
    other.focus()
  })
}
onPress('retry', async () => {
  const { status } = await post('retry')
  // The stream shows the new attempt, and may have shown its QR code before this answer came.
  if (status === 200) return
  if (status === 404 || status === 410) location.reload()
  else say(texts.noAnswer)
})
onPress('reload', () => location.reload())
window.addEventListener('online', connect)
window.addEventListener('offline', lose)
window.addEventListener('pagehide', () => {
  clearQr()
  stream?.close()
})
// Out of the cache for going back and forth, in which scripts are paused.
window.addEventListener('pageshow', ({ persisted }) => persisted && connect())

// A telephone can't scan its own screen.
if (matchMedia('(pointer: coarse) and (max-width: 600px)').matches) select(tabs[1])
show('app', true)
STATES.preparing()
connect()
setInterval(tick, 500)
