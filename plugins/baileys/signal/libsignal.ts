import type { SignalRepositoryWithLIDStore } from '@whiskeysockets/baileys'
import { signal } from '../baileys.ts'

/** The parts of libsignal 6.0.0 that are used here; its own types are incomplete. */
export interface SessionRecord {
  /** By base key: the open session and closed ones. */
  sessions: Record<
    string,
    {
      _chains: Record<string, SignalChain>
      currentRatchet: { ephemeralKeyPair: object }
      indexInfo: { closed: number }
    }
  >
  serialize(): object
  haveOpenSession(): boolean
  /** Drops the oldest closed sessions of too many. */
  removeOldSessions(): void
  getOpenSession(): { registrationId?: number; indexInfo: { baseKey?: Buffer } } | undefined
}

/** Chains of a session are in order of creation. */
export interface SignalChain {
  /** The key is absent once the chain is closed: messages after `counter` can't be read with it. */
  chainKey: { counter: number; key?: Buffer }
  /** Keys of skipped messages, by counter. */
  messageKeys: Record<number, Buffer>
}

export interface SignalKeyPair {
  privKey: Buffer
  pubKey: Buffer
}

/** The storage interface of libsignal's ciphers. */
export interface SignalStorage {
  loadSession(address: string): Promise<SessionRecord | undefined>
  storeSession(address: string, record: SessionRecord): Promise<void>
  isTrustedIdentity(): boolean
  loadPreKey(id: number | string): Promise<SignalKeyPair | undefined>
  removePreKey(id: number): void
  loadSignedPreKey(id: number): SignalKeyPair | undefined
  getOurRegistrationId(): number
  getOurIdentity(): SignalKeyPair
}

/** A device's keys, as Baileys passes them. */
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
