import { randomBytes } from 'node:crypto'
import { reasonOf } from 'wamux/plugin'
import { bytes, child, children, el, seconds } from '../../stanza.ts'
import type { LinkTerms, PasskeyPrimary, Stanza } from '../../types.ts'
import type { AccountState } from '../directory/accounts.ts'
import { refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'
import { stanzaId, type Unpaired } from './unpaired.ts'
import { verifyAssertion } from './webauthn.ts'

const ORIGIN = 'https://web.whatsapp.com'
const RP_ID = 'whatsapp.com'
const TIMEOUT_MS = 600_000

/** Whether the network asks this companion for a passkey, as it does for some accounts after the scan (Baileys#2672). */
export function asksPasskey({ faults }: NetworkState): boolean {
  return faults.networkWide.asksPasskeys
}

/**
 * The server between the companion and the account's phone: sends the challenge, checks its answer, and forwards the three
 * messages between them. Resolves with what the companion told the phone.
 */
export function startCeremony(
  state: NetworkState,
  unpaired: Unpaired,
  account: AccountState,
  primary: PasskeyPrimary,
): Promise<LinkTerms> {
  const { networkWide } = state.faults
  const options = optionsOf(account)
  const optionsNode = (): Stanza => el('passkey_request_options', {}, Buffer.from(JSON.stringify(options)))
  let step: 'prologue' | 'nonce' | 'request' | 'done' = 'prologue'
  let notification = ''

  const notify = (type: string, content: Stanza): void => {
    notification = stanzaId()
    unpaired.unacknowledged.set(notification, type)
    const attrs = { from: 's.whatsapp.net', type, id: notification, t: seconds() }
    unpaired.link.send(el('notification', attrs, [content]))
  }

  return new Promise((resolve, reject) => {
    function inStep(expected: typeof step, work: () => void): Stanza[] {
      if (step !== expected) throw refusal(400, `${expected} is not expected at this step`)
      if (unpaired.unacknowledged.has(notification))
        throw refusal(400, 'the notification was not acknowledged')
      try {
        work()
      } catch (error) {
        step = 'done'
        reject(error)
        throw refusal(403, reasonOf(error))
      }
      return []
    }

    function prologue(node: Stanza): void {
      const part = (tag: string): Buffer => bytes(child(node, tag))
      if (networkWide.refusesPasskeys) throw new Error('not-authorized')
      const { challenge } = options
      const expected = { challenge, rpId: RP_ID, origin: ORIGIN, credentials: account.passkeys }
      verifyAssertion(expected, part('credential_id'), part('webauthn_assertion'))
      const proof = child(node, 'pairing_handoff_proof')
      const hello = primary.begin(part('prologue_payload'), proof && bytes(proof))
      step = 'nonce'
      if (networkWide.ignoresPasskeys) return
      const identity = state.wire.proto.PrimaryEphemeralIdentity.encode(hello).finish()
      const send = (): void =>
        notify('crsc_continuation', el('primary_ephemeral_identity', {}, Buffer.from(identity)))
      // Sent after the reply to the prologue.
      setTimeout(send, networkWide.continuationDelayMs).unref()
    }

    function nonce(node: Stanza): void {
      const opening = Buffer.from(bytes(node))
      if (networkWide.spoilsOpenings) opening.writeUInt8(opening.readUInt8(0) ^ 1, 0)
      primary.open(opening)
      step = 'request'
    }

    function request(node: Stanza): void {
      step = 'done'
      primary.accept(Buffer.from(bytes(node))).then((terms) => {
        if (!terms.noise.equals(unpaired.noiseKey)) reject(new Error('the keys belong to another companion'))
        else resolve(terms)
      }, reject)
    }

    unpaired.ceremony = {
      handle(iq) {
        const [node] = children(iq)
        if (!node) return undefined
        if (node.tag === 'passkey_request_options') return [optionsNode()]
        if (node.tag === 'passkey_prologue') return inStep('prologue', () => prologue(node))
        if (node.tag === 'companion_nonce') return inStep('nonce', () => nonce(node))
        if (node.tag === 'encrypted_pairing_request') return inStep('request', () => request(node))
        return undefined
      },
      abort: () => reject(new Error('the companion disconnected before it was linked')),
    }
    notify(
      'passkey_prologue_request',
      networkWide.omitsPasskeyOptions ? el('passkey_prologue_request') : optionsNode(),
    )
    primary.asked()
  })
}

function optionsOf({ passkeys }: AccountState) {
  return {
    challenge: randomBytes(32).toString('base64url'),
    timeout: TIMEOUT_MS,
    rpId: RP_ID,
    allowCredentials: [...passkeys.keys()].map((id) => ({
      id,
      type: 'public-key',
      transports: ['internal'],
    })),
    userVerification: 'required',
    extensions: { uvm: true },
  }
}
