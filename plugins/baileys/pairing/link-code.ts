import { randomBytes } from 'node:crypto'
import type { AuthenticationCreds, BinaryNode } from '@whiskeysockets/baileys'
import { Jid } from 'wamux/messaging'
import { failpoint, type GatewayError, gatewayError, reasonOf, startTimer, type Timer } from 'wamux/plugin'
import {
  aesDecryptCTR,
  aesEncryptCTR,
  aesEncryptGCM,
  bytesToCrockford,
  Curve,
  derivePairingCodeKey,
  hkdf,
} from '../baileys.ts'
import { iq, type Query } from '../protocol/query.ts'
import { refusalCode } from '../protocol/refusal.ts'
import { ackOf, bytesOf, childOf, part } from './stanzas.ts'

export interface LinkCodeParts {
  creds: AuthenticationCreds
  query: Query
  sendNode(node: BinaryNode): Promise<void>
  codeMs: number
  /** Browser and system, as the phone shows them. */
  display: string
  /** The secret on which the phone and this companion have agreed by a code. */
  onSecret(secret: string): void
  /** The code is no longer valid. */
  onEnded(why: string): void
}

/** Linking by a code that is typed into the phone. Each code has its own ephemeral key and ref. */
export interface LinkCode {
  /** Resolves with the code once the network has accepted it; ends the previous code. */
  request(phone: string): Promise<string>
  /** Handles a `link_code_companion_reg` notification. */
  handle(notification: BinaryNode): Promise<void>
  readonly isAlive: boolean
  stop(): void
}

interface Pending {
  readonly code: string
  readonly jid: string
  readonly ephemeral: AuthenticationCreds['noiseKey']
  readonly ref: Buffer
  readonly until: number
  /** Number of answers from a phone. */
  answers: number
}

const CHROME = '1'
/** WhatsApp Web sends the byte 0; unpatched Baileys sends the digit '0', which is a different value. */
const NONCE = Buffer.from([0])
/** A mistyped code can be typed again; WhatsApp Web answers three times. */
const MAX_ANSWERS = 3

export function createLinkCode(parts: LinkCodeParts): LinkCode {
  const { creds, query, sendNode, codeMs, display, onSecret, onEnded } = parts
  let pending: Pending | undefined
  let timer: Timer | undefined

  const isAlive = (): boolean => pending !== undefined && Date.now() < pending.until

  function stop(): void {
    timer?.stop()
    pending = undefined
  }

  function end(why: string): void {
    stop()
    onEnded(why)
  }

  async function answer(hello: BinaryNode): Promise<void> {
    const ref = bytesOf(hello, 'link_code_pairing_ref')
    const identity = bytesOf(hello, 'primary_identity_pub')
    const wrapped = bytesOf(hello, 'link_code_pairing_wrapped_primary_ephemeral_pub')
    // Unpatched Baileys throws "Invalid buffer" here and ends the attempt (Baileys#2600).
    if (!ref || !identity || !wrapped || !pending || !isAlive()) return
    if (!ref.equals(pending.ref) || pending.answers === MAX_ANSWERS) return
    pending.answers += 1
    await finish(pending, identity, wrapped).catch((error: unknown) => end(reasonOf(error)))
  }

  async function finish(own: Pending, identity: Buffer, wrapped: Buffer): Promise<void> {
    const { code, jid, ephemeral, ref } = own
    const shared = await openHello(code, ephemeral.private, wrapped)
    const { secret, bundle } = finishOf(creds.signedIdentityKey, identity, shared)
    onSecret(secret)
    failpoint('link:code-answered')
    const content = [
      part('link_code_pairing_wrapped_key_bundle', bundle),
      part('companion_identity_public', creds.signedIdentityKey.public),
      part('link_code_pairing_ref', ref),
    ]
    const attrs = { jid, stage: 'companion_finish' }
    await query(iq('md', 'set', { tag: 'link_code_companion_reg', attrs, content }), 'finish a pairing code')
    failpoint('link:code-finished')
  }

  return {
    get isAlive() {
      return isAlive()
    },
    async request(phone) {
      if (creds.account) throw gatewayError('ALREADY_PAIRED')
      const code = bytesToCrockford(randomBytes(5))
      const jid = Jid.ofPhone(phone)
      const ephemeral = Curve.generateKeyPair()
      const hello = await helloOf(creds, { code, jid, key: ephemeral.public, display })
      const reply = await query(hello, 'request a pairing code').catch((error: GatewayError) => {
        throw explain(error)
      })
      const ref = bytesOf(childOf(reply, 'link_code_companion_reg'), 'link_code_pairing_ref')
      if (!ref) throw gatewayError('NETWORK_FAILED', ['request a pairing code', 'the reply has no ref'])
      timer?.stop()
      pending = { code, jid, ephemeral, ref, until: Date.now() + codeMs, answers: 0 }
      timer = startTimer(codeMs, () => end('the pairing code has expired; request another one'))
      failpoint('link:code-requested')
      return code
    },
    async handle(notification) {
      const node = childOf(notification, 'link_code_companion_reg')
      await sendNode(ackOf(notification))
      const { stage } = node?.attrs ?? {}
      if (node && stage === 'primary_hello') await answer(node)
      const ref = bytesOf(node, 'link_code_pairing_ref')
      if (stage === 'refresh_code' && pending && ref?.equals(pending.ref))
        end('the network retired the pairing code; request another one')
    },
    stop,
  }
}

/** The request of Socket/socket.js requestPairingCode, which does not wait for the reply. */
async function helloOf(
  creds: AuthenticationCreds,
  { code, jid, key, display }: { code: string; jid: string; key: Uint8Array; display: string },
): Promise<BinaryNode> {
  const salt = randomBytes(32)
  const iv = randomBytes(16)
  const sealed = aesEncryptCTR(key, await derivePairingCodeKey(code, salt), iv)
  const content = [
    part('link_code_pairing_wrapped_companion_ephemeral_pub', Buffer.concat([salt, iv, sealed])),
    part('companion_server_auth_key_pub', creds.noiseKey.public),
    part('companion_platform_id', CHROME),
    part('companion_platform_display', display),
    part('link_code_pairing_nonce', NONCE),
  ]
  const attrs = { jid, stage: 'companion_hello', should_show_push_notification: 'true' }
  return iq('md', 'set', { tag: 'link_code_companion_reg', attrs, content })
}

/** The network answers 400 both for a number that it refuses and for too many requests (whatsapp-rust, PairError). */
function explain(error: GatewayError): GatewayError {
  if (refusalCode(error.cause) !== 400) return error
  const why =
    'bad-request (400): the network refuses the number, or codes were requested too often; try again later'
  return gatewayError('NETWORK_FAILED', ['request a pairing code', why], { cause: error.cause })
}

/**
 * The key shared by the phone and this companion; a different one if the code was mistyped.
 *
 * @param wrapped salt 32 ‖ iv 16 ‖ AES-256-CTR of the phone's ephemeral public key, under a key derived from the code.
 */
async function openHello(code: string, own: Uint8Array, wrapped: Buffer): Promise<Uint8Array> {
  const key = await derivePairingCodeKey(code, wrapped.subarray(0, 32))
  const ephemeral = aesDecryptCTR(wrapped.subarray(48, 80), key, wrapped.subarray(32, 48))
  return Curve.sharedKey(own, ephemeral)
}

/** This companion's part of the exchange (Socket/messages-recv.js, link_code_companion_reg). */
function finishOf(
  identityKey: AuthenticationCreds['signedIdentityKey'],
  primaryIdentity: Buffer,
  shared: Uint8Array,
): { /** The adv secret, base64. */ secret: string /** salt 32 ‖ iv 12 ‖ AES-256-GCM */; bundle: Buffer } {
  const random = randomBytes(32)
  const salt = randomBytes(32)
  const iv = randomBytes(12)
  const key = hkdf(shared, 32, { salt, info: 'link_code_pairing_key_bundle_encryption_key' })
  const keys = Buffer.concat([identityKey.public, primaryIdentity, random])
  const sealed = aesEncryptGCM(keys, Buffer.from(key), iv, Buffer.alloc(0))
  const material = Buffer.concat([shared, Curve.sharedKey(identityKey.private, primaryIdentity), random])
  const secret = Buffer.from(hkdf(material, 32, { info: 'adv_secret' })).toString('base64')
  return { secret, bundle: Buffer.concat([salt, iv, sealed]) }
}
