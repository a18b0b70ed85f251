import type { GatewayServices } from 'wamux/plugin'
import { noSnapshots, type Slot } from '../../snapshots.ts'
import { HOSTED_DEVICE, parseJid, SERVER, serverOf } from '../../stanza.ts'
import { accept, initiate, type KeyBundle } from './handshake.ts'
import { assertVersion, type KeyPair, open, type RatchetSession, seal, VERSION } from './ratchet.ts'

type Wire = GatewayServices['wire']
export type SignalCredentials = ReturnType<Wire['initAuthCreds']>
type Pair = SignalCredentials['signedIdentityKey']

/** The Signal sessions of one device. A person has the same session under phone number and LID. */
export interface SignalSessions {
  /** Rejects if there is no open session with the device. */
  encrypt(jid: string, plain: Uint8Array): Promise<{ type: 'pkmsg' | 'msg'; ciphertext: Buffer }>
  /** Rejects if it can't be decrypted, leaving the session unchanged. */
  decrypt(jid: string, type: 'pkmsg' | 'msg', ciphertext: Buffer): Promise<Buffer>
  /** Opens a session with the device of a key bundle. Rejects if the signature of the signed prekey is wrong. */
  open(jid: string, bundle: KeyBundle): Promise<void>
  isOpen(jid: string): Promise<boolean>
  /** Ends the sessions with a device that was removed: a later one with its number has other keys. */
  end(jid: string): Promise<void>
  /** Stores that both JIDs belong to one person. */
  learn(lid: string, phone: string): void
  /** Stores the one-time prekeys by id. */
  addPreKeys(pairs: ReadonlyMap<number, Pair>): void
}

/** libsignal's limit. */
const MAX_SESSIONS = 40

/** @param lidOf requests from the network the LID for a phone number's JID. */
export function createSessions(
  wire: Wire,
  creds: SignalCredentials,
  lidOf: (jid: string) => Promise<string | undefined>,
  slot: Slot = noSnapshots.slot,
): SignalSessions {
  /** By address, the open session first: messages of an older one may still arrive. */
  const records = slot('sessions', () => new Map<string, RatchetSession[]>())
  const preKeys = slot('prekeys', () => new Map<number, KeyPair>())
  /** Users of LIDs by users of phone-number JIDs. */
  const lids = slot('lids', () => new Map<string, string>())
  const withType = ({ private: secret, public: key }: Pair): KeyPair => ({
    private: secret,
    public: Buffer.from(wire.generateSignalPubKey(key)),
  })
  const signedPreKey = withType(creds.signedPreKey.keyPair)
  const identity = withType(creds.signedIdentityKey)

  /** The address of the device's session, by LID if it is known. */
  async function addressOf(jid: string): Promise<string> {
    const { user, device, server } = parseJid(jid) ?? {}
    if (user === undefined) throw new Error(`"${jid}" is not a JID`)
    if (serverOf(jid) !== SERVER) return `${user}:${device}@${server}`
    const lid = lids.get(user) ?? parseJid(await lidOf(jid))?.user
    if (lid === undefined) return `${user}:${device}@${server}`
    return `${lid}:${device}@${device === HOSTED_DEVICE ? 'hosted.lid' : 'lid'}`
  }

  function addSession(address: string, session: RatchetSession): void {
    records.set(address, [session, ...(records.get(address) ?? [])].slice(0, MAX_SESSIONS))
  }

  /** Decrypts a message that may open a session. */
  function openFirst(address: string, ciphertext: Buffer): Buffer {
    assertVersion(ciphertext)
    const message = wire.proto.PreKeySignalMessage.decode(ciphertext.subarray(1))
    const { preKeyId } = message
    const [identityKey, baseKey, sealed] = [message.identityKey, message.baseKey, message.message].map(
      (bytes) => Buffer.from(bytes ?? []),
    ) as [Buffer, Buffer, Buffer]
    const known = records.get(address)?.find((session) => session.baseKey.equals(baseKey))
    if (known) return open(wire, known, sealed)
    const preKey = preKeyId ? preKeys.get(preKeyId) : undefined
    if (preKeyId && !preKey) throw new Error(`no prekey ${preKeyId}`)
    const session = accept(wire, { identity, signedPreKey, preKey }, { identityKey, baseKey })
    const plain = open(wire, session, sealed)
    addSession(address, session)
    if (preKeyId) preKeys.delete(preKeyId)
    return plain
  }

  function openNext(address: string, ciphertext: Buffer): Buffer {
    let failure: unknown = new Error(`no session with ${address}`)
    for (const session of records.get(address) ?? []) {
      try {
        return open(wire, session, ciphertext)
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }

  return {
    async encrypt(jid, plain) {
      const address = await addressOf(jid)
      const [session] = records.get(address) ?? []
      if (!session) throw new Error(`no session with ${address}`)
      const { baseKey, pending } = session
      const message = seal(wire, session, plain)
      if (!pending) return { type: 'msg', ciphertext: message }
      const { preKeyId, signedPreKeyId } = pending
      const first = wire.proto.PreKeySignalMessage.encode({
        registrationId: creds.registrationId,
        ...(preKeyId === undefined ? {} : { preKeyId }),
        signedPreKeyId,
        baseKey,
        identityKey: identity.public,
        message,
      }).finish()
      return { type: 'pkmsg', ciphertext: Buffer.concat([Buffer.of(VERSION), first]) }
    },
    async decrypt(jid, type, ciphertext) {
      const address = await addressOf(jid)
      return type === 'pkmsg' ? openFirst(address, ciphertext) : openNext(address, ciphertext)
    },
    async open(jid, bundle) {
      addSession(await addressOf(jid), initiate(wire, identity, bundle))
    },
    isOpen: async (jid) => records.has(await addressOf(jid)),
    async end(jid) {
      records.delete(await addressOf(jid))
    },
    learn(lid, phone) {
      const [to, from] = [parseJid(lid)?.user, parseJid(phone)?.user]
      if (to !== undefined && from !== undefined) lids.set(from, to)
    },
    addPreKeys(pairs) {
      for (const [id, pair] of pairs) preKeys.set(id, withType(pair))
    },
  }
}
