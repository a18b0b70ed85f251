import { randomBytes } from 'node:crypto'
import type { GatewayServices } from 'wamux/plugin'
import { bytes, child, el, seconds, text } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { AccountState, DeviceLink } from '../directory/accounts.ts'

type Registration = NonNullable<
  ReturnType<GatewayServices['wire']['proto']['ClientPayload']['decode']>['devicePairingData']
>

/** The server's side of linking one companion with a passkey. */
export interface Ceremony {
  /** Answers a query of the companion, or throws a refusal. Undefined if the query is not a step of the ceremony. */
  handle(iq: Stanza): Stanza[] | undefined
  /** Called when the companion has disconnected. */
  abort(): void
}

/** A connected companion that shows a QR code or waits for its pairing code to be entered. */
export interface Unpaired {
  readonly link: DeviceLink
  readonly noiseKey: Buffer
  readonly registration: Registration
  readonly refs: readonly string[]
  /** The account with which it requested a link by code. */
  linkCodeAccount: AccountState | undefined
  /** The refs of the codes that it requested. */
  readonly codeRefs: string[]
  /** Fingerprints of adv secrets that the network has retired. */
  readonly retired: Set<string>
  /** Types of unacknowledged notifications, by id. */
  readonly unacknowledged: Map<string, string>
  /** The passkey ceremony in progress. */
  ceremony: Ceremony | undefined
  /** Called with the iq that answers `pair-success`, or undefined if the connection closes first. */
  onSigned: ((reply: Stanza | undefined) => void) | undefined
  onFinish: ((finish: Stanza | undefined) => void) | undefined
}

export interface UnpairedCompanions {
  /** @param refs how many codes it can show, one after the other. */
  add(link: DeviceLink, noiseKey: Buffer, registration: Registration, refs?: number): Unpaired
  remove(unpaired: Unpaired): void
  byRef(ref: string): Unpaired | undefined
  /** Another ref for a companion, for a code or a ceremony. */
  addRef(unpaired: Unpaired): string
  all(): Unpaired[]
}

/** Refs per companion: it shows the first for 60 s, the others for 20 s each. */
const REF_COUNT = 6

export function createUnpairedCompanions(): UnpairedCompanions {
  const byRef = new Map<string, Unpaired>()
  const companions = new Set<Unpaired>()
  return {
    add(link, noiseKey, registration, count = REF_COUNT) {
      const refs = Array.from({ length: count }, newRef)
      const unpaired: Unpaired = {
        link,
        noiseKey,
        registration,
        refs,
        linkCodeAccount: undefined,
        codeRefs: [],
        retired: new Set(),
        unacknowledged: new Map(),
        ceremony: undefined,
        onSigned: undefined,
        onFinish: undefined,
      }
      for (const ref of refs) byRef.set(ref, unpaired)
      companions.add(unpaired)
      const nodes = refs.map((ref) => el('ref', {}, Buffer.from(ref)))
      const attrs = { from: 's.whatsapp.net', type: 'set', id: stanzaId(), xmlns: 'md' }
      link.send(el('iq', attrs, [el('pair-device', {}, nodes)]))
      return unpaired
    },
    remove(unpaired) {
      for (const [ref, owner] of byRef) if (owner === unpaired) byRef.delete(ref)
      companions.delete(unpaired)
      unpaired.ceremony?.abort()
      unpaired.onSigned?.(undefined)
      unpaired.onFinish?.(undefined)
    },
    byRef: (ref) => byRef.get(ref),
    addRef(unpaired) {
      const ref = newRef()
      byRef.set(ref, unpaired)
      return ref
    },
    all: () => [...companions],
  }
}

/** Handles results of the server's queries and the two stages of linking by code; returns a `companion_hello`. */
export function handleUnpairedStanza(unpaired: Unpaired, stanza: Stanza): Stanza | undefined {
  const { id = '', type } = stanza.attrs
  if (stanza.tag === 'ack' && unpaired.unacknowledged.get(id) === type) unpaired.unacknowledged.delete(id)
  if (stanza.tag !== 'iq') return undefined
  if (type === 'result' || type === 'error') {
    if (type === 'error' || child(stanza, 'pair-device-sign')) unpaired.onSigned?.(stanza)
    return undefined
  }
  const stage = child(stanza, 'link_code_companion_reg')?.attrs['stage']
  if (stage === 'companion_finish') unpaired.onFinish?.(child(stanza, 'link_code_companion_reg'))
  return stage === 'companion_hello' ? stanza : undefined
}

/** The notification that carries the phone's ephemeral key and identity to the companion. */
export function primaryHelloNotification(
  ref: string,
  wrapped: Buffer,
  identity: Buffer,
  stage = 'primary_hello',
): Stanza {
  const attrs = { from: 's.whatsapp.net', type: 'link_code_companion_reg', id: stanzaId(), t: seconds() }
  return el('notification', attrs, [
    el('link_code_companion_reg', { stage }, [
      el('link_code_pairing_wrapped_primary_ephemeral_pub', {}, wrapped),
      el('primary_identity_pub', {}, identity),
      el('link_code_pairing_ref', {}, Buffer.from(ref)),
    ]),
  ])
}

/** Reads a companion's request for a link by code. */
export function readLinkCodeRequest(iq: Stanza): {
  jid: string
  wrapped: Buffer
  authKey: Buffer
  display: string
  nonce: Buffer
} {
  const request = child(iq, 'link_code_companion_reg')
  return {
    jid: request?.attrs['jid'] ?? '',
    wrapped: bytes(child(request, 'link_code_pairing_wrapped_companion_ephemeral_pub')),
    authKey: bytes(child(request, 'companion_server_auth_key_pub')),
    display: text(child(request, 'companion_platform_display')),
    nonce: bytes(child(request, 'link_code_pairing_nonce')),
  }
}

function newRef(): string {
  return `2@${randomBytes(24).toString('base64url')}`
}

export function stanzaId(): string {
  return randomBytes(8).toString('hex')
}
