import type { GatewayServices } from 'wamux/plugin'
import { noSnapshots, type Slot } from '../../snapshots.ts'

type Wire = GatewayServices['wire']
type KeyPair = ReturnType<Wire['Curve']['generateKeyPair']>

export interface ServerIdentity {
  /** The Noise static key pair. */
  readonly keys: KeyPair
  /** Replaces the static key pair, as the real server may: clients that know the old one can't resume. */
  renew(): void
  /** Public key that signs the chain. */
  readonly root: Buffer
  /** Encoded CertChain. */
  chain(fault?: CertificateFault): Uint8Array
}

/** What is wrong with a chain: signed by another root, past or before its time, or of another static key. */
export const CERTIFICATE_FAULTS = ['forged', 'expired', 'early', 'foreign'] as const
export type CertificateFault = (typeof CERTIFICATE_FAULTS)[number]

const YEAR_S = 365 * 24 * 3600

/**
 * A root, an intermediate and a leaf for the static key, with valid signatures. The fields are those that the client reads
 * (Baileys Utils/noise-handler.js; issuerSerial 0 must be encoded although it is the default).
 */
export function createIdentity(wire: Wire, slot: Slot = noSnapshots.slot): ServerIdentity {
  const { Curve, proto } = wire
  const own = slot('server keys', () => ({
    root: Curve.generateKeyPair(),
    intermediate: Curve.generateKeyPair(),
    keys: Curve.generateKeyPair(),
  }))
  const { root, intermediate } = own
  const { Details } = proto.CertChain.NoiseCertificate
  const stranger = Curve.generateKeyPair()

  /** @param until years from now. */
  function describe(serial: number, issuerSerial: number, key: Uint8Array, until = 1): Uint8Array {
    const notAfter = Math.floor(Date.now() / 1000) + until * YEAR_S
    return Details.encode({ serial, issuerSerial, key, notBefore: notAfter - 2 * YEAR_S, notAfter }).finish()
  }

  function chainOf(fault?: CertificateFault): Uint8Array {
    const signer = fault === 'forged' ? stranger : root
    const until = fault === 'expired' ? -1 : fault === 'early' ? 3 : 1
    const leaf = describe(2, 1, (fault === 'foreign' ? stranger : own.keys).public, until)
    const middle = describe(1, 0, intermediate.public)
    return proto.CertChain.encode({
      leaf: { details: leaf, signature: Curve.sign(intermediate.private, leaf) },
      intermediate: { details: middle, signature: Curve.sign(signer.private, middle) },
    }).finish()
  }
  let right = chainOf()
  return {
    get keys() {
      return own.keys
    },
    root: Buffer.from(root.public),
    chain: (fault) => (fault ? chainOf(fault) : right),
    renew() {
      own.keys = Curve.generateKeyPair()
      right = chainOf()
    },
  }
}
