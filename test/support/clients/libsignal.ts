import { wire } from '../../../plugins/baileys/protocol/wire.ts'
import {
  ProtocolAddress,
  SessionBuilder,
  SessionCipher,
  SessionRecord,
  type SignalStorage,
} from '../../../plugins/baileys/signal/libsignal.ts'

type Bundle = Parameters<InstanceType<typeof SessionBuilder>['initOutgoing']>[0]

/** A device with libsignal as Baileys uses it, whose records are stored and read again by each operation. */
export interface LibsignalDevice {
  readonly bundle: Bundle
  open(peer: string, bundle: Bundle): Promise<void>
  encrypt(peer: string, text: string): Promise<{ type: 'pkmsg' | 'msg'; ciphertext: Buffer }>
  decrypt(peer: string, type: 'pkmsg' | 'msg', ciphertext: Buffer): Promise<string>
}

/** @param onStore called with each record before it is stored. */
export function createLibsignalDevice(
  onStore: (record: SessionRecord) => void = () => undefined,
): LibsignalDevice {
  const { signedIdentityKey, signedPreKey, registrationId } = wire.initAuthCreds()
  const preKey = wire.Curve.generateKeyPair()
  const publicOf = (pair: { public: Uint8Array }) => Buffer.from(wire.generateSignalPubKey(pair.public))
  const toSignal = (pair: { public: Uint8Array; private: Uint8Array }) => ({
    privKey: Buffer.from(pair.private),
    pubKey: publicOf(pair),
  })
  const records = new Map<string, string>()
  const preKeys = new Map([[1, toSignal(preKey)]])
  const storage: SignalStorage = {
    async loadSession(address) {
      const stored = records.get(address)
      return stored === undefined ? undefined : SessionRecord.deserialize(JSON.parse(stored))
    },
    async storeSession(address, record) {
      onStore(record)
      records.set(address, JSON.stringify(record.serialize()))
    },
    isTrustedIdentity: () => true,
    loadPreKey: async (id) => preKeys.get(Number(id)),
    removePreKey: (id) => void preKeys.delete(id),
    loadSignedPreKey: () => toSignal(signedPreKey.keyPair),
    getOurRegistrationId: () => registrationId,
    getOurIdentity: () => toSignal(signedIdentityKey),
  }
  const cipherOf = (peer: string) => new SessionCipher(storage, ProtocolAddress.from(`${peer}.0`))
  const { keyId, keyPair, signature } = signedPreKey
  return {
    bundle: {
      registrationId,
      identityKey: publicOf(signedIdentityKey),
      signedPreKey: { keyId, publicKey: publicOf(keyPair), signature },
      preKey: { keyId: 1, publicKey: publicOf(preKey) },
    },
    open: (peer, bundle) =>
      new SessionBuilder(storage, ProtocolAddress.from(`${peer}.0`)).initOutgoing(bundle),
    async encrypt(peer, text) {
      const { type, body } = await cipherOf(peer).encrypt(Buffer.from(text))
      return { type: type === 3 ? 'pkmsg' : 'msg', ciphertext: Buffer.from(body, 'binary') }
    },
    async decrypt(peer, type, ciphertext) {
      const cipher = cipherOf(peer)
      const plain =
        type === 'pkmsg'
          ? cipher.decryptPreKeyWhisperMessage(ciphertext)
          : cipher.decryptWhisperMessage(ciphertext)
      return String(await plain)
    },
  }
}
