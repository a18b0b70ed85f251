/**
 * Browser extensions that sign a challenge on web.whatsapp.com, the only origin on which a browser lets the account's
 * passkey be used. The messages are those of the extension that WAHA publishes for every gateway
 * (waha.devlike.pro/blog/waha-passkey): through the extension's own channel in Chrome and Edge, through messages to the
 * window in Firefox.
 */

const PING_MS = 600
/** Signing takes as long as the person does. */
const SIGN_MS = 600_000

/** Resolves with the extension that answers, undefined without one. */
export async function findExtension(id) {
  const calls = [(message, ms) => callChrome(id, message, ms), callWindow]
  const answers = await Promise.all(
    calls.map((call) => call({ type: 'waha-passkey-ping' }, PING_MS).catch(() => undefined)),
  )
  const call = calls.find((_, at) => answers[at]?.ok === true)
  return (
    call && {
      sign: async (challenge) => (await call({ type: 'waha-passkey-sign', challenge }, SIGN_MS)).assertion,
    }
  )
}

function callChrome(id, message, ms) {
  return within(ms, (resolve, reject) => {
    const runtime = window.chrome?.runtime
    if (!runtime?.sendMessage) return reject(new Error('no extension'))
    runtime.sendMessage(id, message, (answer) => {
      const { lastError } = runtime
      if (lastError) reject(new Error(lastError.message))
      else settle(answer, resolve, reject)
    })
    return undefined
  })
}

function callWindow(message, ms) {
  const requestId = `${Date.now()}-${Math.random()}`
  let listen
  const answer = within(ms, (resolve, reject) => {
    listen = ({ source, data }) => {
      const isAnswer = source === window && data?.source === 'waha-passkey-extension'
      if (isAnswer && data.requestId === requestId) settle(data, resolve, reject)
    }
    window.addEventListener('message', listen)
    window.postMessage({ source: 'waha-passkey-page', requestId, ...message }, location.origin)
  })
  return answer.finally(() => window.removeEventListener('message', listen))
}

function settle(answer, resolve, reject) {
  if (answer?.ok) resolve(answer)
  else reject(new Error(answer?.error ?? 'no answer'))
}

function within(ms, work) {
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error('no answer in time')), ms)
    work(resolve, reject)
  })
}
