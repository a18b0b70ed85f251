import type { AuthenticationCreds, KeyPair, SignalDataTypeMap } from '@whiskeysockets/baileys'
import { generateSignalPubKey, type SenderKeyName, SenderKeyRecord } from '../baileys.ts'
import { decode, Encoded, encode } from '../store/codec.ts'
import type { InboxMessage } from '../store/inbox.ts'
import { copyFromPool } from './key-memory.ts'
import { SessionRecord, type SignalKeyPair, type SignalStorage } from './libsignal.ts'
import type { LiveRecords, RecordType } from './live-records.ts'
import type { KeyStore } from './signal-keys.ts'
import { signedPreKeyOf } from './signed-prekeys.ts'

type SerializedSenderKey = ConstructorParameters<typeof SenderKeyRecord>[0]

/** The record whose lock the operation holds. */
export interface Subject {
  type: RecordType
  id: string
}

export interface SignalBatchParts {
  store: KeyStore
  records: LiveRecords
  creds: AuthenticationCreds
  /** The account's identity key. */
  identity: SignalKeyPair
}

/** `closed` of the session that is used for what is sent. */
const OPEN = -1

/**
 * The storage of libsignal and of Baileys' group cipher for one operation: it reads its own writes, and `commit` queues all
 * of them as one write. The caller holds the lock of the record that it changes.
 */
export class SignalBatch implements SignalStorage {
  readonly #parts: SignalBatchParts
  readonly #subject: Subject
  readonly #sessions = new Map<string, SessionRecord | null>()
  readonly #senderKeys = new Map<string, SenderKeyRecord>()
  readonly #identities: Record<string, Uint8Array | null> = {}
  readonly #usedPreKeys: number[] = []

  constructor(parts: SignalBatchParts, subject: Subject) {
    this.#parts = parts
    this.#subject = subject
  }

  async loadSession(address: string): Promise<SessionRecord | undefined> {
    const own = this.#sessions.get(address)
    if (own !== undefined) return own ?? undefined
    const { store, records } = this.#parts
    const live = records.get<SessionRecord>('session', address)
    if (live) return live
    const { [address]: stored } = await store.get('session', [address])
    if (!stored) return undefined
    const record = SessionRecord.deserialize(stored)
    records.set('session', address, record)
    return record
  }

  async storeSession(address: string, record: SessionRecord): Promise<void> {
    dropUsedChains(record)
    copyFromPool(record)
    this.#sessions.set(address, record)
  }

  deleteSession(address: string): void {
    this.#sessions.set(address, null)
  }

  /**
   * Takes over the sessions and the identity key that the device has under another address. Those sessions are in use from now
   * on; the ones that are here are kept for what was written in them. Returns false if there are none.
   */
  async adopt(former: string, address: string): Promise<boolean> {
    const adopted = await this.loadSession(former)
    if (!adopted) return false
    const here = await this.loadSession(address)
    const isOpen = adopted.haveOpenSession()
    for (const [baseKey, session] of Object.entries(here?.sessions ?? {})) {
      if (isOpen && session.indexInfo.closed === OPEN) session.indexInfo.closed = Date.now()
      adopted.sessions[baseKey] ??= session
    }
    adopted.removeOldSessions()
    this.#sessions.set(address, adopted)
    this.#sessions.set(former, null)
    const keys = await this.#parts.store.get('identity-key', [address, former])
    const key = keys[former]
    if (key && !keys[address]) this.#identities[address] = key
    if (key) this.#identities[former] = null
    return true
  }

  async loadSenderKey(name: SenderKeyName): Promise<SenderKeyRecord> {
    const id = name.toString()
    const { store, records } = this.#parts
    const live = this.#senderKeys.get(id) ?? records.get<SenderKeyRecord>('sender-key', id)
    if (live) return live
    const { [id]: stored } = await store.get('sender-key', [id])
    if (!stored) return new SenderKeyRecord()
    const record = new SenderKeyRecord(decode(stored) as SerializedSenderKey)
    records.set('sender-key', id, record)
    return record
  }

  async storeSenderKey(name: SenderKeyName, record: SenderKeyRecord): Promise<void> {
    this.#senderKeys.set(name.toString(), record)
  }

  /** Stores a contact's current identity key and drops a session made under another one. */
  async saveIdentity(address: string, key: Uint8Array): Promise<void> {
    const { [address]: known } = await this.#parts.store.get('identity-key', [address])
    if (known && Buffer.compare(known, key) === 0) return
    if (known) this.deleteSession(address)
    this.#identities[address] = key
  }

  // Trust on first use, as WhatsApp Web does.
  isTrustedIdentity(): boolean {
    return true
  }

  async loadPreKey(id: number | string): Promise<SignalKeyPair | undefined> {
    const { [String(id)]: pair } = await this.#parts.store.get('pre-key', [String(id)])
    return pair && toSignal(pair)
  }

  removePreKey(id: number): void {
    this.#usedPreKeys.push(id)
  }

  loadSignedPreKey(id: number): SignalKeyPair | undefined {
    const key = signedPreKeyOf(this.#parts.creds, id)
    return key && toSignal(key.keyPair)
  }

  getOurRegistrationId(): number {
    return this.#parts.creds.registrationId
  }

  getOurIdentity(): SignalKeyPair {
    return this.#parts.identity
  }

  /** Drops what was changed from memory; the next operation reads what is stored. */
  discard(): void {
    const { type, id } = this.#subject
    const { records } = this.#parts
    records.drop(type, id)
    for (const address of this.#sessions.keys()) records.drop('session', address)
    this.#sessions.clear()
    this.#senderKeys.clear()
    for (const address of Object.keys(this.#identities)) delete this.#identities[address]
    this.#usedPreKeys.length = 0
  }

  /** Queues all changes and the decrypted message as one write. */
  commit(received?: InboxMessage): void {
    const { store, records } = this.#parts
    const data: Partial<Record<keyof SignalDataTypeMap, Record<string, unknown>>> = {}
    const put = (type: keyof SignalDataTypeMap, id: string, value: unknown): void => {
      data[type] ??= {}
      data[type][id] = value
    }
    for (const [id, record] of this.#sessions) put('session', id, record && new Encoded(record.serialize()))
    for (const [id, record] of this.#senderKeys) put('sender-key', id, encode(record.serialize()))
    for (const [id, key] of Object.entries(this.#identities)) put('identity-key', id, key)
    for (const id of this.#usedPreKeys) put('pre-key', String(id), null)
    store.write(data, received)
    for (const [id, record] of this.#sessions)
      if (record) records.set('session', id, record)
      else records.drop('session', id)
    for (const [id, record] of this.#senderKeys) records.set('sender-key', id, record)
  }
}

/** An identity key in libsignal's form. */
export function identityPairOf({ private: privKey, public: pubKey }: KeyPair): SignalKeyPair {
  return { privKey: toBuffer(privKey), pubKey: toBuffer(generateSignalPubKey(pubKey)) }
}

function toSignal({ private: privKey, public: pubKey }: KeyPair): SignalKeyPair {
  return { privKey: toBuffer(privKey), pubKey: toBuffer(pubKey) }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Signal keeps this many receiving chains per session (signalapp/libsignal, rust/protocol/src/consts.rs). */
const KEPT = 5
/** Limit for chains that still wait for a message; Signal would drop these too. */
const MOST = 50

/**
 * Drops receiving chains on which no more messages can arrive. libsignal 6.0.0 closes a chain with each reply and keeps it
 * for good (src/session_cipher.js, maybeStepRatchet): the record of a long conversation would grow without limit, and all
 * of it is encoded and stored with each message.
 */
export function dropUsedChains(record: SessionRecord): void {
  for (const { _chains: chains } of Object.values(record.sessions)) {
    const closed = Object.entries(chains).filter(([, { chainKey }]) => !chainKey.key)
    for (const [at, [id, { messageKeys }]] of closed.slice(0, -KEPT).entries())
      if (at < closed.length - MOST || Object.keys(messageKeys).length === 0) delete chains[id]
  }
}
