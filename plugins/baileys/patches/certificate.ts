import type { proto } from '@whiskeysockets/baileys'
import { agree, latestPeer } from './curve.ts'

type ChainClass = typeof proto.CertChain
type Details = proto.CertChain.NoiseCertificate.IDetails

/**
 * Checks of a server's Noise certificate what Baileys leaves out (Utils/noise-handler.js processHandshake): that both parts are
 * valid today, that they belong together, and that the leaf is of the server's static key (whatsmeow handshake.go, 75186f80).
 * Without the last one, whoever has ever connected to WhatsApp could present its chain with a key of their own. The signatures
 * are Baileys' part.
 */
export function patchCertificate({ CertChain }: { CertChain: ChainClass }): void {
  const { decode } = CertChain
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
    // The server's static key is the last one with which Baileys has agreed on a secret before it reads the chain.
    if (
      !latestPeer()
        ?.subarray(-32)
        .equals(leaf.key ?? new Uint8Array())
    )
      throw new Error('the Noise certificate is of another key than that of the server')
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

/** A chain for the key of `peer`, without signatures, is read; one that has expired, or of another key, is not. */
export function verifyCertificate({ CertChain }: { CertChain: ChainClass }): boolean {
  const peer = agree()
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
  return isRead(peer, now + 60) && !isRead(peer, now - 60) && !isRead(new Uint8Array(32), now + 60)
}
