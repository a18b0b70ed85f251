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
  /** Encoded CertChain; with `forged`, signed by another root. */
  chain(forged: boolean): Uint8Array
}

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
  const year = 365 * 24 * 3600
  const now = Math.floor(Date.now() / 1000)
  const describe = (serial: number, issuerSerial: number, key: Uint8Array): Uint8Array =>
    Details.encode({ serial, issuerSerial, key, notBefore: now - year, notAfter: now + year }).finish()

  const chainOf = (signer: KeyPair): Uint8Array => {
    const leaf = describe(2, 1, own.keys.public)
    const middle = describe(1, 0, intermediate.public)
    return proto.CertChain.encode({
      leaf: { details: leaf, signature: Curve.sign(intermediate.private, leaf) },
      intermediate: { details: middle, signature: Curve.sign(signer.private, middle) },
    }).finish()
  }
  const stranger = Curve.generateKeyPair()
  let right = chainOf(root)
  let wrong = chainOf(stranger)
  return {
    get keys() {
      return own.keys
    },
    root: Buffer.from(root.public),
    chain: (forged) => (forged ? wrong : right),
    renew() {
      own.keys = Curve.generateKeyPair()
      right = chainOf(root)
      wrong = chainOf(stranger)
    },
  }
}
