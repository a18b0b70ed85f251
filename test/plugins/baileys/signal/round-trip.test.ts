import type { SignalDataTypeMap } from '@whiskeysockets/baileys'
import { expect } from 'chai'
import fc from 'fast-check'
import {
  GroupCipher,
  GroupSessionBuilder,
  proto,
  SenderKeyDistributionMessage,
  SenderKeyName,
  SenderKeyRecord,
} from '../../../../plugins/baileys/baileys.ts'
import { wire } from '../../../../plugins/baileys/protocol/wire.ts'
import {
  ProtocolAddress,
  SessionBuilder,
  SessionCipher,
} from '../../../../plugins/baileys/signal/libsignal.ts'
import type { SignalBatch } from '../../../../plugins/baileys/signal/signal-batch.ts'
import { createLibsignalDevice } from '../../../support/clients/libsignal.ts'
import { everyEngine } from '../../../support/databases.ts'
import { openStoredKeys, type StoredKeys } from '../../../support/key-store.ts'

type Type = keyof SignalDataTypeMap

const bytes = (size = 32) => fc.uint8Array({ minLength: size, maxLength: size }).map((b) => Buffer.from(b))
const anyBytes = fc.uint8Array({ maxLength: 300 }).map((b) => Buffer.from(b))
const count = fc.nat(0xff_ffff)
const user = fc.stringMatching(/^[1-9]\d{4,14}$/)
const device = fc.tuple(user, fc.nat(99), fc.constantFrom('s.whatsapp.net', 'lid'))
const deviceJid = device.map(([name, id, server]) => `${name}:${id}@${server}`)

const keyPair = fc.record({ private: bytes(), public: bytes() })
const syncKey = fc
  .record({
    keyData: bytes(),
    fingerprint: fc.record({ rawId: count, currentIndex: count, deviceIndexes: fc.array(count) }),
    timestamp: fc.nat(2 ** 31 - 1),
  })
  .map((key) => proto.Message.AppStateSyncKeyData.fromObject(key))
const syncVersion = fc.record({
  version: count,
  hash: bytes(128),
  indexValueMap: fc.dictionary(
    bytes().map((mac) => mac.toString('base64')),
    fc.record({ valueMac: bytes() }),
  ),
})

/** Values of each type that Baileys hands over on its own; sessions and sender keys go through operations of Signal. */
const VALUES: Partial<Record<Type, fc.Arbitrary<unknown>>> = {
  'pre-key': keyPair,
  'sender-key-memory': fc.dictionary(deviceJid, fc.boolean()),
  'app-state-sync-key': syncKey,
  'app-state-sync-version': syncVersion,
  // A number, or the device with its number.
  'lid-mapping': fc.oneof(
    user,
    device.map(([name, id]) => `${name}:${id}`),
  ),
  'device-list': fc.array(fc.nat(99).map(String)),
  tctoken: fc.record(
    { token: anyBytes, timestamp: count.map(String), senderTimestamp: count },
    { requiredKeys: ['token'] },
  ),
  'identity-key': bytes(33),
}
const ID = fc.oneof(
  user,
  deviceJid,
  fc.stringMatching(/^[0-9]+@g\.us$/),
  fc.constantFrom('__index', 'regular'),
)

const plain = (value: unknown): unknown => (value instanceof Uint8Array ? Buffer.from(value) : value)

for (const engine of everyEngine) {
  describe(`what a link stores of Signal, as the next link reads it (${engine.name})`, () => {
    let keys: StoredKeys
    before(async () => {
      keys = await openStoredKeys(engine)
    })
    after(() => keys.close())

    for (const [type, values] of Object.entries(VALUES)) {
      it(`${type}: the same`, () =>
        fc.assert(
          fc.asyncProperty(fc.dictionary(ID, values, { minKeys: 1, maxKeys: 5 }), async (stored) => {
            const { store } = keys.link()
            await store.set({ [type]: stored })
            await store.settled()
            const ids = Object.keys(stored)
            const read: Record<string, unknown> = await keys.link().store.get(type as Type, ids)
            for (const id of ids) expect(plain(read[id]), id).to.deep.equal(plain(stored[id]))
          }),
          { numRuns: 40 },
        ))
    }

    it('credentials with the signed prekey: the same', () =>
      fc.assert(
        fc.asyncProperty(keyPair, bytes(64), count, async (pair, signature, keyId) => {
          const creds = wire.initAuthCreds()
          const account = { details: Buffer.from(signature), accountSignature: signature }
          const changed = { ...creds, account, signedPreKey: { keyPair: pair, signature, keyId } }
          await keys.saveCreds(changed)
          const set = Object.entries(changed).filter(([, value]) => value !== undefined)
          expect(await keys.loadCreds()).to.deep.equal(Object.fromEntries(set))
        }),
        { numRuns: 20 },
      ))

    it('sender keys: each message is decrypted once, in any order, whatever restarts come in between', () =>
      fc.assert(
        fc.asyncProperty(orders(12), async (order) => {
          const group = senders()
          const name = () => new SenderKeyName(`${group.id}@g.us`, ProtocolAddress.from('15550001.7'))
          const subject = { type: 'sender-key', id: name().toString() } as const
          let link = keys.link()
          const operation = async <T>(work: (batch: SignalBatch) => Promise<T>): Promise<T> => {
            const batch = link.batch(subject)
            const result = await work(batch)
            batch.commit()
            await link.store.settled()
            return result
          }
          const distribution = await group.distribution()
          await operation((batch) => new GroupSessionBuilder(batch).process(name(), distribution))
          const messages: Uint8Array[] = []
          for (const { at } of [...order].sort((a, b) => a.at - b.at))
            messages.push(await group.encrypt(`${at}`))
          for (const { at, restarts } of order) {
            if (restarts) link = keys.link()
            const text = await operation((batch) =>
              new GroupCipher(batch, name()).decrypt(messages[at] as Uint8Array),
            )
            expect(String(text)).to.equal(`${at}`)
          }
          for (const message of messages) {
            const again = new GroupCipher(keys.link().batch(subject), name()).decrypt(message)
            expect(await again.catch(() => 'refused')).to.equal('refused')
          }
        }),
        { numRuns: 15 },
      ))

    it('sessions: each message is decrypted once, in any order, whatever restarts come in between', () =>
      fc.assert(
        fc.asyncProperty(orders(8), async (order) => {
          const ana = createLibsignalDevice()
          const address = `${Math.random().toString().slice(2, 12)}.0`
          let link = keys.link()
          const operation = async <T>(work: (batch: SignalBatch) => Promise<T>): Promise<T> => {
            const batch = link.batch({ type: 'session', id: address })
            const result = await work(batch)
            batch.commit()
            await link.store.settled()
            return result
          }
          const cipher = (batch: SignalBatch) => new SessionCipher(batch, ProtocolAddress.from(address))
          await operation((batch) =>
            new SessionBuilder(batch, ProtocolAddress.from(address)).initOutgoing(ana.bundle),
          )
          const { body } = await operation((batch) => cipher(batch).encrypt(Buffer.from('hello')))
          expect(await ana.decrypt('stored', 'pkmsg', Buffer.from(body, 'binary'))).to.equal('hello')
          const messages = new Map<number, Awaited<ReturnType<typeof ana.encrypt>>>()
          for (const at of order.map((_, i) => i)) messages.set(at, await ana.encrypt('stored', `${at}`))
          for (const { at, restarts } of order) {
            if (restarts) link = keys.link()
            const { ciphertext } = messages.get(at) as Awaited<ReturnType<typeof ana.encrypt>>
            const text = await operation((batch) => cipher(batch).decryptWhisperMessage(ciphertext))
            expect(String(text)).to.equal(`${at}`)
          }
        }),
        { numRuns: 10 },
      ))

    it('sender keys in the form of before: skipped messages are decrypted', async () => {
      const group = senders()
      const name = new SenderKeyName(`${group.id}@g.us`, ProtocolAddress.from('15550001.7'))
      const id = name.toString()
      const first = keys.link()
      const batch = first.batch({ type: 'sender-key', id })
      await new GroupSessionBuilder(batch).process(name, await group.distribution())
      const messages = [await group.encrypt('0'), await group.encrypt('1'), await group.encrypt('2')] as const
      await new GroupCipher(batch, name).decrypt(messages[2])
      const record = await batch.loadSenderKey(name)
      await first.store.set({ 'sender-key': { [id]: Buffer.from(JSON.stringify(record.serialize())) } })
      await first.store.settled()
      for (const at of [1, 0] as const) {
        const link = keys.link()
        const next = link.batch({ type: 'sender-key', id })
        expect(String(await new GroupCipher(next, name).decrypt(messages[at]))).to.equal(`${at}`)
        next.commit()
        await link.store.settled()
      }
    })
  })
}

/** Messages in the order of their arrival, some of them the first of a new link. */
function orders(most: number): fc.Arbitrary<{ at: number; restarts: boolean }[]> {
  return fc
    .integer({ min: 2, max: most })
    .chain((size) =>
      fc.tuple(
        fc.shuffledSubarray([...Array(size).keys()], { minLength: size }),
        fc.array(fc.boolean(), { minLength: size, maxLength: size }),
      ),
    )
    .map(([order, restarts]) => order.map((at, i) => ({ at, restarts: restarts[i] === true })))
}

let groups = 0

/** A member of a group of its own, whose keys are in memory. */
function senders() {
  groups += 1
  const id = 120_363_000_000_000_000 + groups
  const records = new Map<string, unknown>()
  const storage = {
    loadSenderKey: async (name: SenderKeyName) => records.get(name.toString()) ?? new SenderKeyRecord(),
    storeSenderKey: async (name: SenderKeyName, record: unknown) => void records.set(name.toString(), record),
  } as unknown as SignalBatch
  const name = new SenderKeyName(`${id}@g.us`, ProtocolAddress.from('15550001.7'))
  return {
    id,
    async distribution() {
      const made = await new GroupSessionBuilder(storage).create(name)
      return new SenderKeyDistributionMessage(null, null, null, null, made.serialize())
    },
    encrypt: (text: string) => new GroupCipher(storage, name).encrypt(Buffer.from(text)),
  }
}
