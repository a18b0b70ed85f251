import type { proto } from '@whiskeysockets/baileys'
import type { Curve as BaileysCurve } from '@whiskeysockets/baileys/lib/Utils/crypto.js'

/** Objects inside Baileys that it changes. */
interface Internals {
  readonly proto: { readonly CertChain: typeof proto.CertChain }
  /** Utils/crypto.js */
  readonly Curve: typeof BaileysCurve
}

type Details = proto.CertChain.NoiseCertificate.IDetails

/**
 * Checks of a server's Noise certificate what Baileys leaves out (Utils/noise-handler.js processHandshake): that both parts are
 * valid today, that they belong together, and that the leaf is of the server's static key (whatsmeow handshake.go, 75186f80).
 * Without the last one, anyone who has ever connected to WhatsApp could present its chain with a key of their own. The signatures
 * are Baileys' part.
 */
export function patchCertificate({ proto: { CertChain }, Curve }: Internals): void {
  const { decode } = CertChain
  const { sharedKey } = Curve
  let peer: Uint8Array | undefined
  Curve.sharedKey = (privateKey, publicKey) => {
    peer = publicKey
    return sharedKey(privateKey, publicKey)
  }
  CertChain.decode = (...args) => {
    const chain = decode.call(CertChain, ...args)
    const [leaf, intermediate] = [chain.leaf, chain.intermediate].map(
      (part) => part?.details && CertChain.NoiseCertificate.Details.decode(part.details),
    )
    // Baileys refuses a chain that lacks one.
    if (!leaf || !intermediate) return chain
    for (const part of [intermediate, leaf]) assertValidNow(part)
    if (leaf.issuerSerial !== intermediate.serial)
      throw new Error('the Noise certificate has another issuer than its intermediate')
    // The handshake is synchronous: the last key that Baileys has agreed on a secret with before it reads the chain is the server's.
    const isOfServer =
      peer !== undefined && Buffer.compare(peer.subarray(-32), leaf.key ?? new Uint8Array()) === 0
    if (!isOfServer) throw new Error('the Noise certificate is not for the key that the server presents')
    return chain
  }
}

function assertValidNow({ notBefore, notAfter }: Details): void {
  const now = Date.now()
  const [from, until] = [notBefore, notAfter].map((time) => Number(time ?? 0) * 1000) as [number, number]
  if (now >= from && now <= until) return
  const [what, at] = now < from ? ['is not valid yet', from] : ['has expired', until]
  throw new Error(
    `the Noise certificate ${what} (${isoOf(at)}; the clock of this machine says ${isoOf(now)})`,
  )
}

function isoOf(time: number): string {
  return time <= 8.64e15 ? new Date(time).toISOString() : 'never'
}

/** A chain for the key of the latest agreement, without signatures, is read; one that has expired, or of another key, is not. */
export function verifyCertificate({ proto: { CertChain }, Curve }: Internals): boolean {
  const [own, server] = [Curve.generateKeyPair(), Curve.generateKeyPair()]
  Curve.sharedKey(own.private, server.public)
  const { NoiseCertificate } = CertChain
  const now = Math.floor(Date.now() / 1000)
  const isRead = (key: Uint8Array, notAfter: number): boolean => {
    const details = [
      { serial: 2, issuerSerial: 1, key, notBefore: 0, notAfter },
      { serial: 1, issuerSerial: 0, notBefore: 0, notAfter },
    ].map((part) => ({ details: NoiseCertificate.Details.encode(part).finish() }))
    const [leaf, intermediate] = details as [(typeof details)[number], (typeof details)[number]]
    try {
      CertChain.decode(CertChain.encode({ leaf, intermediate }).finish())
      return true
    } catch {
      return false
    }
  }
  return (
    isRead(server.public, now + 60) &&
    !isRead(server.public, now - 60) &&
    !isRead(new Uint8Array(32), now + 60)
  )
}
