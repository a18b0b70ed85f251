import { createHash } from 'node:crypto'
import type {
  AuthenticationCreds,
  BinaryNode,
  SignalRepositoryWithLIDStore,
  SocketConfig,
} from '@whiskeysockets/baileys'
import { createKeyedQueue, failpoint } from 'wamux/plugin'
import type { AbProp } from '../app-state/ab-props.ts'
import {
  DEFAULT_CONNECTION_CONFIG,
  GroupCipher,
  GroupSessionBuilder,
  isHostedPnUser,
  isLidUser,
  isPnUser,
  jidDecode,
  PreKeyWhisperMessage,
  SenderKeyDistributionMessage,
  SenderKeyName,
} from '../baileys.ts'
import { isReadable } from '../protocol/signals.ts'
import { asTransactional } from './baileys-keys.ts'
import type { DecryptionListener } from './decryption-reports.ts'
import { ProtocolAddress, SessionBuilder, SessionCipher } from './libsignal.ts'
import type { LidMap } from './lid-map.ts'
import type { LiveRecords } from './live-records.ts'
import { identityPairOf, SignalBatch, type Subject } from './signal-batch.ts'
import type { KeyStore } from './signal-keys.ts'

export interface RepositoryParts extends DecryptionListener {
  /** The stanza that brought a ciphertext, found by the identity of the buffer. */
  stanzaOf(ciphertext: Uint8Array): BinaryNode | undefined
  store: KeyStore
  abProp: AbProp
  lids: LidMap
  records: LiveRecords
  creds: AuthenticationCreds
  /** Awaited before each message is decrypted. */
  ready(): Promise<void>
}

type Make = SocketConfig['makeSignalRepository']

/**
 * The Signal sessions of a link, behind Baileys' port (`makeSignalRepository`).
 *
 * States of a record (the session of an address, or the sender key of a group and author):
 * - stored: only the row exists;
 * - live: decoded in memory, as of the last queued write (live-records.ts);
 * - changing: one operation holds the record's lock and works on a `SignalBatch`.
 *
 * Transitions:
 * - stored to live: the first operation reads the row;
 * - live to changing to live: the operation commits;
 * - changing to stored: the operation fails, and the changed record is dropped from memory. If the ciphertext was decrypted
 *   before, the kept plaintext is the answer.
 *
 * Invariants:
 * - One operation at a time per record. The lock is the address under which the record is stored: the LID, if it is known.
 * - Everything that an operation changes is one write, queued before it returns: the ratchet, the plaintext, and the used
 *   prekey; the step of a send before its stanza. No frame leaves before that write is committed (commit-barrier.ts).
 * - A plaintext is reported after its write is queued, in the order of the operations on its record.
 *
 * Stock rc14 writes the stanza inside a transaction and commits afterwards (Socket/messages-send.js relayMessage): after a
 * crash in between, a message key is reused. It also locks sends by account and receipts by sender: of two crossing
 * messages, the later commit undoes the earlier one (Utils/auth-utils.js).
 */
export function signalRepositoryOf(parts: RepositoryParts): Make {
  const { store, lids, abProp, ready, stanzaOf, onDecrypted, onFailed } = parts
  return (auth, logger) => {
    Object.assign(auth.keys, asTransactional(store, abProp))
    const inner = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(auth, logger) as SignalRepositoryWithLIDStore
    const locks = createKeyedQueue()
    const batchParts = { ...parts, identity: identityPairOf(parts.creds.signedIdentityKey) }

    async function addressOf(jid: string): Promise<string> {
      const isPhone = isPnUser(jid) || isHostedPnUser(jid)
      return inner.jidToSignalProtocolAddress((isPhone && (await lids.getLIDForPN(jid))) || jid)
    }

    /** Runs `work` under the lock of a record; its changes are discarded if it fails. */
    function change<T>(subject: Subject, work: (batch: SignalBatch) => Promise<T>): Promise<T> {
      return locks.run(`${subject.type} ${subject.id}`, async () => {
        const batch = new SignalBatch(batchParts, subject)
        try {
          return await work(batch)
        } catch (error) {
          batch.discard()
          throw error
        }
      })
    }

    async function onSession<T>(jid: string, work: (batch: SignalBatch, address: string) => Promise<T>) {
      const address = await addressOf(jid)
      return change({ type: 'session', id: address }, async (batch) => {
        if (!(await batch.loadSession(address))) await moveHere(batch, address)
        return work(batch, address)
      })
    }

    async function moveHere(batch: SignalBatch, address: string): Promise<void> {
      await withFormer(batch, address, async (isMoved) => {
        if (isMoved) batch.commit()
      })
    }

    /**
     * Runs `work` with the sessions that the device has under its number, from a time at which its LID was not known or not used.
     * The lock of a number is taken while holding the lock of its LID, never the other way round.
     */
    async function withFormer<T>(
      batch: SignalBatch,
      address: string,
      work: (isMoved: boolean) => Promise<T>,
    ): Promise<T> {
      const former = await formerAddressOf(store, address)
      if (!former) return work(false)
      return locks.run(`session ${former}`, async () => work(await batch.adopt(former, address)))
    }

    /** What can't be decrypted here may be of a session under the number. */
    async function decryptAnywhere(batch: SignalBatch, address: string, work: () => Promise<Buffer>) {
      try {
        return await work()
      } catch (error) {
        batch.discard()
        return withFormer(batch, address, async (isMoved) => {
          if (isMoved) return work()
          throw error
        })
      }
    }

    function onSenderKey<T>(
      group: string,
      author: string,
      work: (batch: SignalBatch, name: SenderKeyName) => Promise<T>,
    ) {
      const address = ProtocolAddress.from(inner.jidToSignalProtocolAddress(author))
      const name = new SenderKeyName(group, address)
      return change({ type: 'sender-key', id: name.toString() }, (batch) => work(batch, name))
    }

    /**
     * Stores the plaintext from `work` together with the changes; if `work` fails, returns the plaintext of an earlier
     * decryption.
     */
    async function open(
      batch: SignalBatch,
      ciphertext: Uint8Array,
      hash: string,
      work: Promise<Uint8Array>,
    ): Promise<Buffer> {
      const stanza = stanzaOf(ciphertext)
      let plain: Buffer
      try {
        plain = Buffer.from(await work)
      } catch (error) {
        const kept = await store.received(hash)
        if (!kept) throw error
        batch.discard()
        return kept.plain
      }
      failpoint('after:decrypt')
      batch.commit(stanza && { hash, stanza, plain })
      return plain
    }

    async function report(ciphertext: Uint8Array, hash: string, opened: Promise<Buffer>): Promise<Buffer> {
      const stanza = stanzaOf(ciphertext)
      const plain = await opened.catch((error: unknown) => {
        if (stanza) onFailed(stanza, ciphertext, error)
        throw error
      })
      failpoint('after:ratchet')
      if (stanza) onDecrypted(hash, { stanza, plain })
      return isReadable(plain) ? plain : NOTHING
    }

    const own: Partial<SignalRepositoryWithLIDStore> = {
      encryptMessage: ({ jid, data }) =>
        onSession(jid, async (batch, address) => {
          const { type, body } = await cipherOf(batch, address).encrypt(data)
          batch.commit()
          return { type: type === 3 ? 'pkmsg' : 'msg', ciphertext: Buffer.from(body, 'binary') }
        }),

      async decryptMessage({ jid, type, ciphertext }) {
        await ready()
        const hash = hashOf(ciphertext)
        const opened = onSession(senderOf(stanzaOf(ciphertext), jid), (batch, address) =>
          open(
            batch,
            ciphertext,
            hash,
            decryptAnywhere(batch, address, () => decrypt(batch, address, type, ciphertext)),
          ),
        )
        return report(ciphertext, hash, opened)
      },

      async decryptGroupMessage({ group, authorJid, msg }) {
        await ready()
        const hash = hashOf(msg)
        const opened = onSenderKey(group, authorJid, (batch, name) =>
          open(batch, msg, hash, new GroupCipher(batch, name).decrypt(msg)),
        )
        return report(msg, hash, opened)
      },

      injectE2ESession: ({ jid, session }) =>
        onSession(jid, async (batch, address) => {
          await new SessionBuilder(batch, ProtocolAddress.from(address)).initOutgoing(session)
          batch.commit()
        }),

      async deleteSession(jids) {
        const remove = (id: string): Promise<void> =>
          change({ type: 'session', id }, async (batch) => {
            batch.deleteSession(id)
            batch.commit()
          })
        // A device has its record under its LID, even where it is named by number. That of the number first, which the LID may adopt.
        const addresses = await Promise.all(
          jids.map(async (jid) => [inner.jidToSignalProtocolAddress(jid), await addressOf(jid)]),
        )
        for (const id of new Set(addresses.flat())) await remove(id)
      },

      // A record is moved when it is first used under the LID, under both locks, however the LID became known.
      migrateSession: async () => ({ migrated: 0, skipped: 0, total: 0 }),

      validateSession: (jid) =>
        onSession(jid, async (batch, address) => {
          const record = await batch.loadSession(address)
          if (!record) return { exists: false, reason: 'no session' }
          return record.haveOpenSession() ? { exists: true } : { exists: false, reason: 'no open session' }
        }),

      getSessionInfo: (jid) =>
        onSession(jid, async (batch, address) => {
          const { registrationId, indexInfo } = (await batch.loadSession(address))?.getOpenSession() ?? {}
          if (!indexInfo?.baseKey || registrationId === undefined) return null
          return { baseKey: Uint8Array.from(indexInfo.baseKey), registrationId }
        }),

      encryptGroupMessage: ({ group, meId, data }) =>
        onSenderKey(group, meId, async (batch, name) => {
          const distribution = await new GroupSessionBuilder(batch).create(name)
          const ciphertext = await new GroupCipher(batch, name).encrypt(data)
          batch.commit()
          return { ciphertext, senderKeyDistributionMessage: distribution.serialize() }
        }),

      getSenderKeyDistributionMessage: ({ group, meId }) =>
        onSenderKey(group, meId, async (batch, name) => {
          const distribution = await new GroupSessionBuilder(batch).create(name)
          batch.commit()
          return distribution.serialize()
        }),

      processSenderKeyDistributionMessage: async ({ item, authorJid }) => {
        const { groupId, axolotlSenderKeyDistributionMessage: bytes } = item
        if (!groupId) throw new Error('Group ID is required for sender key distribution message')
        const message = new SenderKeyDistributionMessage(null, null, null, null, bytes)
        return onSenderKey(groupId, authorJid, async (batch, name) => {
          await new GroupSessionBuilder(batch).process(name, message)
          batch.commit()
        })
      },

      hasSenderKey: ({ group, meId }) =>
        onSenderKey(group, meId, async (batch, name) => !(await batch.loadSenderKey(name)).isEmpty()),
    }
    // Baileys uses no more of it.
    const lidMapping = lids as unknown as SignalRepositoryWithLIDStore['lidMapping']
    return { ...inner, ...own, lidMapping }
  }
}

/**
 * A padded message without content, for Baileys: it answers what it can't decode with a retry receipt, and the sender would send
 * the same again.
 */
const NOTHING = Buffer.from([1])

/** Addresses by LID, of devices and of hosted ones (Baileys Signal/libsignal.js jidToSignalProtocolAddress). */
const LID_ADDRESS = /^(\d+)_(1|129)\.(\d+)$/

/** The address of the same device by number; undefined where the number is not known. */
async function formerAddressOf(store: Pick<KeyStore, 'get'>, address: string): Promise<string | undefined> {
  const [, user, domain, device] = LID_ADDRESS.exec(address) ?? []
  if (user === undefined) return undefined
  const name = `${user}_reverse`
  const { [name]: number } = await store.get('lid-mapping', [name])
  return number && (domain === '1' ? `${number}.${device}` : `${number}_128.${device}`)
}

/**
 * Whose session a message belongs to. The number of its sender may have a new owner, of whom the stanza has the LID, and the map
 * still that of the former one.
 */
function senderOf(stanza: BinaryNode | undefined, jid: string): string {
  const { participant, participant_lid, sender_lid } = stanza?.attrs ?? {}
  const lid = participant ? participant_lid : sender_lid
  if (!lid || !isLidUser(jid) || !isPnUser(participant ?? stanza?.attrs['from'])) return jid
  const { device } = jidDecode(jid) ?? {}
  return device ? lid.replace('@', `:${device}@`) : lid
}

async function decrypt(
  batch: SignalBatch,
  address: string,
  type: 'pkmsg' | 'msg',
  ciphertext: Uint8Array,
): Promise<Buffer> {
  const cipher = cipherOf(batch, address)
  if (type === 'msg') return cipher.decryptWhisperMessage(ciphertext)
  const identity = identityOf(ciphertext)
  if (identity) await batch.saveIdentity(address, identity)
  return cipher.decryptPreKeyWhisperMessage(ciphertext)
}

function hashOf(ciphertext: Uint8Array): string {
  return createHash('sha256').update(ciphertext).digest('base64url')
}

function cipherOf(batch: SignalBatch, address: string) {
  return new SessionCipher(batch, ProtocolAddress.from(address))
}

const VERSION = 3
const KEY_BYTES = 33

/** The sender's identity key in a prekey message (`pkmsg`); undefined if it can't be read. */
function identityOf(ciphertext: Uint8Array): Uint8Array | undefined {
  if (((ciphertext[0] ?? 0) & 0xf) !== VERSION) return undefined
  try {
    const { identityKey } = PreKeyWhisperMessage.decode(ciphertext.subarray(1))
    return identityKey?.length === KEY_BYTES ? Uint8Array.from(identityKey) : undefined
  } catch {
    return undefined
  }
}
