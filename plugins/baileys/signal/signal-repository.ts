import { createHash } from 'node:crypto'
import type {
  AuthenticationCreds,
  BinaryNode,
  SignalRepositoryWithLIDStore,
  SocketConfig,
} from '@whiskeysockets/baileys'
import { createKeyedQueue, failpoint } from 'wamux/plugin'
import {
  DEFAULT_CONNECTION_CONFIG,
  GroupCipher,
  GroupSessionBuilder,
  SenderKeyDistributionMessage,
  SenderKeyName,
} from '../baileys.ts'
import { asTransactional } from './baileys-keys.ts'
import type { DecryptionListener } from './decryption-reports.ts'
import { ProtocolAddress, SessionBuilder, SessionCipher } from './libsignal.ts'
import type { LiveRecords } from './live-records.ts'
import { identityOf } from './prekey-message.ts'
import { identityPairOf, SignalBatch, type Subject } from './signal-batch.ts'
import type { KeyStore } from './signal-keys.ts'

export interface RepositoryParts extends DecryptionListener {
  /** The stanza that brought a ciphertext, by the very buffer. */
  stanzaOf(ciphertext: Uint8Array): BinaryNode | undefined
  store: KeyStore
  records: LiveRecords
  creds: AuthenticationCreds
  /** Awaited before each message is decrypted. */
  ready(): Promise<void>
}

type Make = SocketConfig['makeSignalRepository']

/**
 * The Signal sessions of a link, behind Baileys' port (`makeSignalRepository`).
 *
 * Each operation holds the lock of the session that it changes, under the address where it is really kept, and queues
 * what it changed as one write before it returns: the ratchet with the plaintext that it decrypted and the prekey that
 * it used, the step of a send before its stanza. Stock rc14 writes the stanza inside a transaction and commits after it
 * (Socket/messages-send.js relayMessage), so that a crash in between reuses a message key; and it locks a send by
 * account and a receipt by sender, so that of two crossing messages the later commit undoes the earlier
 * (Utils/auth-utils.js).
 *
 * A ciphertext that can't be decrypted is looked for among the kept plaintexts: one that was decrypted before is
 * answered from there.
 */
export function signalRepositoryOf(parts: RepositoryParts): Make {
  const { store, ready, stanzaOf, onDecrypted, onFailed } = parts
  return (auth, logger, pnToLid) => {
    Object.assign(auth.keys, asTransactional(store))
    const inner = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(
      auth,
      logger,
      // Where the LID can't be queried, the phone number is used: no encryption or decryption waits for a second query.
      async (pns) => (await pnToLid?.(pns).catch(() => undefined)) ?? [],
    ) as SignalRepositoryWithLIDStore
    const locks = createKeyedQueue()
    const batchParts = { ...parts, identity: identityPairOf(parts.creds.signedIdentityKey) }

    async function addressOf(jid: string): Promise<string> {
      const isPhone = jid.endsWith('@s.whatsapp.net')
      return inner.jidToSignalProtocolAddress((isPhone && (await inner.lidMapping.getLIDForPN(jid))) || jid)
    }

    /** Runs `work` alone on a record; what it changed is discarded when it fails. */
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
      return change({ type: 'session', id: address }, (batch) => work(batch, address))
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

    /** Decrypts by `work` and stores the plaintext with what it changed; or finds it, where that was done before. */
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
      return plain
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
        const opened = onSession(jid, (batch, address) =>
          open(batch, ciphertext, hash, decrypt(batch, address, type, ciphertext)),
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
        const remove = (jid: string): Promise<void> => {
          const id = inner.jidToSignalProtocolAddress(jid)
          return change({ type: 'session', id }, async (batch) => {
            batch.deleteSession(id)
            batch.commit()
          })
        }
        await Promise.all(jids.map(remove))
      },

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
    return { ...inner, ...own }
  }
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
