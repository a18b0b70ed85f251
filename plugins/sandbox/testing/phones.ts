import type { Calls } from './calls.ts'
import { QUIET_MS } from './eventually.ts'

export interface NewPhone {
  /** Digits; a free number when absent. */
  number?: string
  name?: string
  business?: boolean
}

/** A message on a simulated phone, either decrypted or sent by it. */
export interface PhoneMessage {
  readonly Seq: number
  readonly ID: string
  readonly Chat: string
  readonly From: string
  readonly FromMe: boolean
  readonly Timestamp: number
  /** The content as JSON: `{ conversation: 'Hi' }`, `{ imageMessage: … }`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect
  readonly Message: any
}

/** A simulated phone on the local network, with real keys. */
export interface TestPhone {
  /** Digits, for the field `Phone`. */
  readonly number: string
  readonly jid: string
  readonly lid: string
  /** Links the session with that token, as its owner would with the QR code. */
  link(token: string): Promise<void>
  /** Sends a text, or a message as JSON, to a number or a JID; returns its id. */
  send(to: string, message: string | Record<string, unknown>): Promise<string>
  /** Runs an action of the phone's user: `read`, `react`, `typing`, `createGroup` … */
  act(action: string, fields?: Record<string, unknown>): Promise<Record<string, unknown>>
  /** Messages with a Seq above `after`, oldest first. */
  messages(after?: number): Promise<PhoneMessage[]>
  /** The first message, past or future, that `matches`; rejects when no further message arrives for `ms`. */
  wait(matches: (message: PhoneMessage) => boolean, ms?: number): Promise<PhoneMessage>
}

/** Creates an account and its phone through the sandbox's own routes. */
export async function createPhone(
  calls: Calls,
  admin: Record<string, string>,
  given: NewPhone,
): Promise<TestPhone> {
  const { number, name, business } = given
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await calls.call(method, path, { body, headers: admin })
    if (!answer.success) throw new Error(`${method} ${path}: ${answer.status} ${answer.error}`)
    return answer.data
  }
  const fields = {
    ...(number ? { Phone: number } : {}),
    ...(name ? { Name: name } : {}),
    ...(business ? { Business: true } : {}),
  }
  const { Phone, JID, LID } = await ask('POST', '/sandbox/phones', fields)
  const path = `/sandbox/phones/${Phone}`
  const messages = async (after = 0, wait = 0): Promise<PhoneMessage[]> =>
    (await ask('GET', `${path}/messages?after=${after}&wait=${wait}`)).Messages
  return {
    number: Phone,
    jid: JID,
    lid: LID,
    link: (token) => ask('POST', `${path}/scan`, { Token: token }),
    async send(to, message) {
      const content = typeof message === 'string' ? { Text: message } : { Message: message }
      return (await ask('POST', `${path}/messages`, { To: to, ...content })).Id
    },
    act: (Action, more = {}) => ask('POST', `${path}/actions`, { Action, ...more }),
    messages: (after) => messages(after),
    async wait(matches, ms = QUIET_MS) {
      let after = 0
      for (;;) {
        // The route answers as soon as there is a message.
        const page = await messages(after, Math.ceil(ms / 1000))
        const found = page.find(matches)
        if (found) return found
        if (page.length === 0) break
        after = page.at(-1)?.Seq ?? after
      }
      throw new Error(
        `no such message on the phone ${Phone} and no further one for ${ms} ms; it has ${after}`,
      )
    },
  }
}
