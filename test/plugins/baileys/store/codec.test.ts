import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { expect } from 'chai'
import fc from 'fast-check'
import { decode, Encoded, encode } from '../../../../plugins/baileys/store/codec.ts'

interface Entry {
  addChain(key: Buffer, chain: object): void
}
interface Record {
  serialize(): object
  setSession(entry: Entry): void
}
interface RecordClass {
  new (): Record
  createEntry(): Entry
}

describe('the stored form of a value', () => {
  it('is read as what was written, buffers and objects with numbers as their keys included', () => {
    const numbered = fc.dictionary(fc.nat(9).map(String), fc.nat(255))
    const bytes = fc.uint8Array().map((part) => Buffer.from(part))
    // JSON has no negative zero.
    const json = fc.jsonValue({ noUnicodeString: false }).map((given) => JSON.parse(JSON.stringify(given)))
    const value = fc.oneof(json, numbered, fc.dictionary(fc.string(), bytes))
    fc.assert(
      fc.property(value, (given) => {
        expect(decode(encode(given))).to.deep.equal(given)
      }),
    )
  })
})

describe('the stored form of a Signal session', () => {
  const SessionRecord: RecordClass = createRequire(import.meta.url)('libsignal/src/session_record.js')

  it('is the same without looking for buffers in each of its parts', () => {
    const record = sessionOf(SessionRecord)
    const quick = encode(new Encoded(record.serialize()))
    expect(quick.toString()).to.equal(encode(record.serialize()).toString())
    expect(quick.toString()).to.include('"messageKeys":{"3":')
  })
})

/** A session that waits for its first answer, with a chain that skipped messages and one that is closed. */
function sessionOf(SessionRecord: RecordClass): Record {
  const key = (size = 33): Buffer => randomBytes(size)
  const entry = Object.assign(SessionRecord.createEntry(), {
    registrationId: 7,
    currentRatchet: {
      ephemeralKeyPair: { pubKey: key(), privKey: key(32) },
      lastRemoteEphemeralKey: key(),
      previousCounter: 2,
      rootKey: key(32),
    },
    indexInfo: { baseKey: key(), baseKeyType: 1, closed: -1, used: 1, created: 2, remoteIdentityKey: key() },
    pendingPreKey: { signedKeyId: 1, preKeyId: 2, baseKey: key() },
  })
  const messageKeys = { 3: key(32), 5: key(32) }
  entry.addChain(key(), { messageKeys, chainKey: { counter: 6, key: key(32) }, chainType: 2 })
  entry.addChain(key(), { messageKeys: {}, chainKey: { counter: 3, key: undefined }, chainType: 1 })
  const record = new SessionRecord()
  record.setSession(entry)
  return record
}
