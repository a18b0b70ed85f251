import { randomBytes } from 'node:crypto'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { failpoint, type GatewayError, gatewayError, reasonOf, startTimer, type Timer } from 'wamux/plugin'
import { type PasskeyChallenge, readAssertion } from './assertion.ts'
import {
  beginAttempt,
  comparisonCode,
  handoffKeyOf,
  handoffProof,
  type PasskeyAttempt,
  type Primary,
  readPrimary,
  sealRequest,
} from './passkey.ts'
import type { PasskeyFlow, PasskeyIo, PasskeyStatus } from './passkey-port.ts'
import { ackOf, bytesOf, part, SERVER } from './stanzas.ts'
import type { LinkTimes } from './times.ts'

interface Handoff {
  readonly key: Buffer
  readonly until: number
}

type Ceremony =
  | { readonly state: 'none' }
  | { readonly state: 'challenge'; readonly challenge: PasskeyChallenge; readonly handoff: Handoff }
  | { readonly state: 'submitted'; readonly attempt?: PasskeyAttempt; readonly isProven?: boolean }
  | { readonly state: 'opening' }
  | {
      readonly state: 'confirm'
      readonly attempt: PasskeyAttempt
      readonly primary: Primary
      readonly code: string
    }
  | { readonly state: 'confirmed' }
  | { readonly state: 'failed'; readonly reason: string; readonly isTimeout: boolean }

const TIMED_OUT: Readonly<Record<string, string>> = {
  challenge: 'the passkey challenge was not answered in time',
  submitted: 'the phone did not answer the passkey in time',
  opening: 'the network did not answer in time',
  confirm: 'the code was not confirmed in time',
  confirmed: 'the phone did not finish the link in time',
}

/** Links with the account's passkey: one ceremony at a time, each of its steps once. */
export function createPasskeyFlow(io: PasskeyIo, times: LinkTimes): PasskeyFlow {
  let ceremony: Ceremony = { state: 'none' }
  let until = 0
  let timer: Timer | undefined

  function enter<C extends Ceremony>(next: C, ms: number): C {
    timer?.stop()
    ceremony = next
    until = Date.now() + ms
    timer = startTimer(ms, () => fail(TIMED_OUT[next.state] ?? 'it took too long', true))
    return next
  }

  const isActive = (): boolean => ceremony.state !== 'none' && ceremony.state !== 'failed'

  function stop(): void {
    timer?.stop()
    if (ceremony.state !== 'confirmed') ceremony = { state: 'none' }
  }

  function fail(reason: string, isTimeout = false): void {
    if (!isActive()) return
    timer?.stop()
    ceremony = { state: 'failed', reason, isTimeout }
    io.onEvent('passkey-failed', reason)
  }

  /** Runs one step with the network; a refusal fails the ceremony. Rejects if the ceremony has ended in the meantime. */
  async function step<T>(own: Ceremony, work: () => Promise<T>): Promise<T> {
    try {
      const result = await work()
      if (ceremony !== own) throw unexpected('step')
      return result
    } catch (error) {
      if (ceremony === own) fail(reasonOf(error))
      throw error
    }
  }

  const send = (tag: string, content: Uint8Array | BinaryNode[]): Promise<BinaryNode> =>
    io.query('set', { tag, attrs: {}, content })

  /** Like `step`, but the ceremony may have advanced afterwards: the phone may answer before the network's reply is read. */
  async function sendOf(own: Ceremony, tag: string, content: Uint8Array | BinaryNode[]): Promise<void> {
    try {
      await send(tag, content)
    } catch (error) {
      if (ceremony === own) fail(reasonOf(error))
      throw error
    }
  }

  async function begin(notification: BinaryNode): Promise<void> {
    const options = bytesOf(notification, 'passkey_request_options') ?? (await fetchOptions())
    await io.sendNode(ackOf(notification))
    // WhatsApp Web also continues an attempt in progress (WAWebShortcakeLinkingHandlePasskeyPrologueRequest).
    if (isActive() && ceremony.state !== 'challenge') return
    const challenge = readOptions(options)
    // Derived from the current secret: a new one may replace it before the challenge is answered.
    const handoff = { key: handoffKeyOf(io.secret()), until: Date.now() + times.handoffMs }
    enter({ state: 'challenge', challenge: challenge ?? {}, handoff }, times.passkeyMs)
    io.onEvent('passkey', 'the account requires its passkey')
    if (!challenge) return fail("the network's passkey challenge can't be read")
    failpoint('link:passkey-challenge')
  }

  async function fetchOptions(): Promise<Buffer | undefined> {
    const reply = await io.query('get', { tag: 'passkey_request_options', attrs: {} }).catch(() => undefined)
    return bytesOf(reply, 'passkey_request_options')
  }

  async function openWith(notification: BinaryNode): Promise<void> {
    const content = bytesOf(notification, 'primary_ephemeral_identity')
    await io.sendNode(ackOf(notification))
    if (ceremony.state !== 'submitted' || !ceremony.attempt) return
    const { attempt, isProven } = ceremony
    const primary = content && readPrimary(content)
    if (!primary) return fail("the phone's answer can't be read")
    // The commitment is opened once: a second answer of the phone finds another state.
    const opening = enter({ state: 'opening' }, times.passkeyStepMs)
    await step(opening, () => send('companion_nonce', attempt.nonce))
    failpoint('link:passkey-opened')
    const code = comparisonCode(attempt.nonce, primary)
    const confirm = enter({ state: 'confirm', attempt, primary, code }, times.passkeyStepMs)
    if (isProven) await finish(confirm)
    else io.onEvent('passkey-confirm', code)
  }

  async function finish({ attempt, primary }: Extract<Ceremony, { state: 'confirm' }>): Promise<void> {
    const confirmed = enter({ state: 'confirmed' }, times.passkeyStepMs)
    const secret = randomBytes(32)
    const request = await step(confirmed, async () => {
      await io.replaceSecret(secret.toString('base64'))
      return sealRequest(attempt, primary, { ...io.keys, secret })
    })
    failpoint('link:passkey-secret')
    await sendOf(confirmed, 'encrypted_pairing_request', request)
    failpoint('link:passkey-requested')
  }

  function unexpected(what: string): GatewayError {
    return gatewayError('PASSKEY_UNEXPECTED', [what, shown(ceremony.state)])
  }

  const status = (): PasskeyStatus => ({
    state: shown(ceremony.state),
    ...(ceremony.state === 'challenge' ? { challenge: ceremony.challenge } : {}),
    ...(ceremony.state === 'confirm' ? { code: ceremony.code } : {}),
    ...(ceremony.state === 'failed' ? { reason: ceremony.reason, isTimeout: ceremony.isTimeout } : {}),
    ...(isActive() ? { expiresAt: new Date(until).toISOString() } : {}),
  })

  return {
    status,
    get isActive() {
      return isActive()
    },
    request: (notification) => (isOfServer(notification) ? begin(notification) : undefined),
    // A failure here has failed the ceremony, which reports it.
    continue: (notification) =>
      isOfServer(notification) ? openWith(notification).catch(() => undefined) : undefined,
    async submit(credential) {
      if (ceremony.state !== 'challenge') throw unexpected('answer')
      const { challenge, handoff } = ceremony
      const { credentialId, json } = readAssertion(challenge, credential)
      const waiting = enter({ state: 'submitted' }, times.passkeyStepMs)
      const reply = await step(waiting, () => io.query('get', { tag: 'ref', attrs: {} }))
      const ref = bytesOf(reply, 'ref')?.toString('utf8')
      if (!ref) {
        fail('the network sent no ref')
        throw gatewayError('NETWORK_FAILED', ['link with a passkey', 'the network sent no ref'])
      }
      const attempt = beginAttempt(ref)
      const isProven = io.isHandedOff() && Date.now() < handoff.until
      const content = [
        part('credential_id', credentialId),
        part('webauthn_assertion', json),
        part('prologue_payload', attempt.prologue),
        ...(isProven ? [part('pairing_handoff_proof', handoffProof(handoff.key, attempt.prologue))] : []),
      ]
      const submitted = enter({ state: 'submitted', attempt, isProven }, times.passkeyStepMs)
      await sendOf(submitted, 'passkey_prologue', content)
      failpoint('link:passkey-submitted')
      return status()
    },
    async confirm() {
      if (ceremony.state !== 'confirm') throw unexpected('confirmation')
      await finish(ceremony)
      return status()
    },
    fail: (reason) => fail(reason),
    stop,
  }
}

/** While the commitment is being opened, the owner still waits. */
function shown(state: Ceremony['state']): PasskeyStatus['state'] {
  return state === 'opening' ? 'submitted' : state
}

function isOfServer({ attrs }: BinaryNode): boolean {
  return attrs['from'] === SERVER
}

function readOptions(content: Buffer | undefined): PasskeyChallenge | undefined {
  try {
    const options: unknown = JSON.parse(content?.toString('utf8') ?? '')
    return typeof options === 'object' && options !== null && 'challenge' in options
      ? (options as PasskeyChallenge)
      : undefined
  } catch {
    return undefined
  }
}
