import type { GatewayServices } from 'wamux/plugin'
import { beginSending, type KeyPair, newPair, type RatchetSession } from './ratchet.ts'

type Wire = GatewayServices['wire']

/** The published keys of a device; public keys have 33 bytes. */
export interface KeyBundle {
  readonly identityKey: Buffer
  readonly signedPreKey: { readonly id: number; readonly key: Buffer; readonly signature: Buffer }
  /** Absent if the device has none left. */
  readonly preKey: { readonly id: number; readonly key: Buffer } | undefined
}

/** Opens a session with the device of a key bundle (X3DH). Throws if the signature of the signed prekey is wrong. */
export function initiate(wire: Wire, identity: KeyPair, bundle: KeyBundle): RatchetSession {
  const { identityKey, signedPreKey, preKey } = bundle
  if (!wire.isSigned(identityKey, signedPreKey.key, signedPreKey.signature))
    throw new Error('wrong signature of a signed prekey')
  const base = newPair(wire)
  const agree = wire.Curve.sharedKey
  const session: RatchetSession = {
    identity: identity.public,
    remoteIdentity: identityKey,
    baseKey: base.public,
    root: rootOf(wire, [
      agree(identity.private, signedPreKey.key),
      agree(base.private, identityKey),
      agree(base.private, signedPreKey.key),
      ...(preKey ? [agree(base.private, preKey.key)] : []),
    ]),
    pair: base,
    sending: undefined,
    previousCounter: 0,
    receiving: new Map(),
    pending: { preKeyId: preKey?.id, signedPreKeyId: signedPreKey.id },
  }
  beginSending(wire, session, signedPreKey.key)
  return session
}

/** The session opened by a received message. @param own `preKey` is the one that the message names, if any. */
export function accept(
  wire: Wire,
  own: { identity: KeyPair; signedPreKey: KeyPair; preKey: KeyPair | undefined },
  message: { identityKey: Buffer; baseKey: Buffer },
): RatchetSession {
  const { identity, signedPreKey, preKey } = own
  const { identityKey, baseKey } = message
  const agree = wire.Curve.sharedKey
  return {
    identity: identity.public,
    remoteIdentity: identityKey,
    baseKey,
    root: rootOf(wire, [
      agree(signedPreKey.private, identityKey),
      agree(identity.private, baseKey),
      agree(signedPreKey.private, baseKey),
      ...(preKey ? [agree(preKey.private, baseKey)] : []),
    ]),
    // The first message was encrypted for this key.
    pair: signedPreKey,
    sending: undefined,
    previousCounter: 0,
    receiving: new Map(),
    pending: undefined,
  }
}

function rootOf(wire: Wire, agreements: readonly Buffer[]): Buffer {
  const secret = Buffer.concat([Buffer.alloc(32, 0xff), ...agreements])
  return Buffer.from(wire.hkdf(secret, 32, { info: 'WhisperText' }))
}
