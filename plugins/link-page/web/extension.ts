/**
 * Browser extensions that sign a challenge on web.whatsapp.com, the only origin on which a browser lets the account's
 * passkey be used. The messages follow the extension that WAHA publishes for every gateway
 * (waha.devlike.pro/blog/waha-passkey): through the extension's own channel in Chrome and Edge, through messages to the
 * window in Firefox.
 */

export interface Challenge {
  readonly challenge: string
}

export interface Extension {
  /** Resolves with the JSON of the credential. */
  sign(challenge: Challenge): Promise<object>
}

interface Message {
  readonly type: string
  readonly challenge?: Challenge
}

interface Answer {
  readonly ok?: boolean
  readonly error?: string
  readonly assertion?: object
}

type Resolve = (answer: Answer) => void
type Reject = (error: Error) => void

declare global {
  interface Window {
    /** For Chrome and Edge, where an extension accepts messages from this page. */
    readonly chrome?: {
      readonly runtime?: {
        readonly lastError?: { readonly message?: string }
        sendMessage?(id: string, message: Message, onAnswer: Resolve): void
      }
    }
  }
}

const PING_MS = 600
/** Signing takes as long as the person needs. */
const SIGN_MS = 600_000

/** Resolves with the answering extension, or undefined. */
export async function findExtension(id: string): Promise<Extension | undefined> {
  const calls = [(message: Message, ms: number) => callChrome(id, message, ms), callWindow]
  const answers = await Promise.all(
    calls.map((call) => call({ type: 'waha-passkey-ping' }, PING_MS).catch(() => undefined)),
  )
  const call = calls.find((_, at) => answers[at]?.ok === true)
  return (
    call && {
      sign: async (challenge) =>
        (await call({ type: 'waha-passkey-sign', challenge }, SIGN_MS)).assertion ?? {},
    }
  )
}

function callChrome(id: string, message: Message, ms: number): Promise<Answer> {
  return within(ms, (resolve, reject) => {
    const runtime = window.chrome?.runtime
    if (!runtime?.sendMessage) return reject(new Error('no extension'))
    runtime.sendMessage(id, message, (answer) => {
      const { lastError } = runtime
      if (lastError) reject(new Error(lastError.message ?? ''))
      else settle(answer, resolve, reject)
    })
  })
}

function callWindow(message: Message, ms: number): Promise<Answer> {
  const requestId = `${Date.now()}-${Math.random()}`
  const listening = new AbortController()
  const answer = within(ms, (resolve, reject) => {
    const listen = ({ source, data }: MessageEvent): void => {
      const isAnswer = source === window && data?.source === 'waha-passkey-extension'
      if (isAnswer && data.requestId === requestId) settle(data, resolve, reject)
    }
    window.addEventListener('message', listen, { signal: listening.signal })
    window.postMessage({ source: 'waha-passkey-page', requestId, ...message }, location.origin)
  })
  return answer.finally(() => listening.abort())
}

function settle(answer: Answer | undefined, resolve: Resolve, reject: Reject): void {
  if (answer?.ok) resolve(answer)
  else reject(new Error(answer?.error ?? 'no answer'))
}

function within(ms: number, work: (resolve: Resolve, reject: Reject) => void): Promise<Answer> {
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error('no answer in time')), ms)
    work(resolve, reject)
  })
}
