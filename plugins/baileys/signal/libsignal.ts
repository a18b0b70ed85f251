import type { SignalRepositoryWithLIDStore } from '@whiskeysockets/baileys'
import { signal } from '../baileys.ts'

/** What is used of libsignal 6.0.0, whose own types lack some of it. */
export interface SessionRecord {
  /** By base key: the open session, and closed ones. */
  sessions: Record<string, { _chains: Record<string, SignalChain> }>
  serialize(): object
  haveOpenSession(): boolean
  getOpenSession(): { registrationId?: number; indexInfo: { baseKey?: Buffer } } | undefined
}

/** In the order of their making. */
export interface SignalChain {
  /** Without a key once it is closed: no message after `counter` can be read on it. */
  chainKey: { counter: number; key?: Buffer }
  /** Of messages that were passed over, by their counter. */
  messageKeys: Record<number, Buffer>
}

export interface SignalKeyPair {
  privKey: Buffer
  pubKey: Buffer
}

/** The storage that libsignal's ciphers work on. */
export interface SignalStorage {
  loadSession(address: string): Promise<SessionRecord | undefined>
  storeSession(address: string, record: SessionRecord): Promise<void>
  isTrustedIdentity(): boolean
  loadPreKey(id: number | string): Promise<SignalKeyPair | undefined>
  removePreKey(id: number): void
  loadSignedPreKey(): SignalKeyPair
  getOurRegistrationId(): number
  getOurIdentity(): SignalKeyPair
}

/** A device's keys, as Baileys hands them on. */
type Bundle = Parameters<SignalRepositoryWithLIDStore['injectE2ESession']>[0]['session']

interface Address {
  id: string
  deviceId: number
}

interface LibSignal {
  SessionRecord: { deserialize(stored: object): SessionRecord }
  ProtocolAddress: { from(encoded: string): Address }
  SessionCipher: new (
    storage: SignalStorage,
    address: Address,
  ) => {
    encrypt(data: Uint8Array): Promise<{ type: number; body: string }>
    decryptWhisperMessage(ciphertext: Uint8Array): Promise<Buffer>
    decryptPreKeyWhisperMessage(ciphertext: Uint8Array): Promise<Buffer>
  }
  SessionBuilder: new (
    storage: SignalStorage,
    address: Address,
  ) => { initOutgoing(session: Bundle): Promise<void> }
}

export const { SessionRecord, ProtocolAddress, SessionCipher, SessionBuilder } =
  signal as unknown as LibSignal
