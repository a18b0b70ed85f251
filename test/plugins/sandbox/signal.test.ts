import { expect } from 'chai'
import {
  GroupCipher,
  GroupSessionBuilder,
  SenderKeyName,
  SenderKeyRecord,
} from '../../../plugins/baileys/baileys.ts'
import { wire } from '../../../plugins/baileys/protocol/wire.ts'
import { ProtocolAddress } from '../../../plugins/baileys/signal/libsignal.ts'
import type { KeyBundle } from '../../../plugins/sandbox/phone/device/handshake.ts'
import { createSenderKeys } from '../../../plugins/sandbox/phone/device/sender-keys.ts'
import { createSessions } from '../../../plugins/sandbox/phone/device/signal.ts'

import { createLibsignalDevice } from '../../support/clients/libsignal.ts'

const ANA = '1@lid'
const BOB = '2@lid'
const GROUP = '3@g.us'

describe('the Signal sessions of a phone', () => {
  it('are as before when a message can not be decrypted', async () => {
    const [ana, bob] = await met()
    const first = await ana.encrypt(BOB, Buffer.from('one'))
    expect(first.type).to.equal('pkmsg')
    await rejection(bob.decrypt(ANA, 'pkmsg', garbled(first.ciphertext)))
    expect(String(await bob.decrypt(ANA, 'pkmsg', first.ciphertext))).to.equal('one')
    for (const text of ['two', 'three']) {
      // Each answer steps the ratchet of the other side.
      for (const [from, to, peer, own] of [
        [bob, ana, ANA, BOB],
        [ana, bob, BOB, ANA],
      ] as const) {
        const { type, ciphertext } = await from.encrypt(peer, Buffer.from(text))
        expect(type).to.equal('msg')
        await rejection(to.decrypt(own, 'msg', garbled(ciphertext)))
        expect(String(await to.decrypt(own, 'msg', ciphertext))).to.equal(text)
        await rejection(to.decrypt(own, 'msg', ciphertext))
      }
    }
  })

  it('are the same under phone number and LID, once both are known', async () => {
    const [ana, bob] = await met()
    const { ciphertext } = await ana.encrypt(BOB, Buffer.from('one'))
    bob.learn(ANA, '1234567@s.whatsapp.net')
    await bob.decrypt('1234567@s.whatsapp.net', 'pkmsg', ciphertext)
    expect([await bob.isOpen(ANA), await bob.isOpen('1:1@lid')]).to.deep.equal([true, false])
  })

  it('are those of libsignal, on either side that opens them, and with messages out of order', async () => {
    for (const isFirst of [true, false]) {
      const other = createLibsignalDevice()
      const creds = wire.initAuthCreds()
      const phone = createSessions(wire, creds, async () => undefined)
      const { identityKey, signedPreKey, preKey } = other.bundle
      const own = bundleOf(creds)
      if (isFirst)
        await phone.open(BOB, {
          identityKey: Buffer.from(identityKey),
          signedPreKey: toKey(signedPreKey, signedPreKey.signature),
          preKey: preKey && toKey(preKey),
        })
      else
        await other.open('1', {
          registrationId: creds.registrationId,
          identityKey: own.identityKey,
          signedPreKey: {
            keyId: own.signedPreKey.id,
            publicKey: own.signedPreKey.key,
            signature: own.signedPreKey.signature,
          },
        } as typeof other.bundle)
      for (let round = 0; round < 3; round += 1) {
        for (const isSender of [isFirst, !isFirst]) {
          const texts = ['a', 'b', 'c'].map((letter) => `${letter} of round ${round}`)
          const sent: Awaited<ReturnType<typeof other.encrypt>>[] = []
          for (const text of texts)
            sent.push(isSender ? await phone.encrypt(BOB, Buffer.from(text)) : await other.encrypt('1', text))
          const read: string[] = []
          for (const at of [2, 0, 1]) {
            const { type, ciphertext } = sent[at] as (typeof sent)[number]
            read[at] = isSender
              ? await other.decrypt('1', type, ciphertext)
              : String(await phone.decrypt(BOB, type, ciphertext))
          }
          expect(read).to.deep.equal(texts)
        }
      }
    }
  })

  it('decrypt after simultaneous first messages, with two sessions each', async () => {
    const creds = [wire.initAuthCreds(), wire.initAuthCreds()] as const
    const ana = createSessions(wire, creds[0], async () => undefined)
    const bob = createSessions(wire, creds[1], async () => undefined)
    await ana.open(BOB, bundleOf(creds[1]))
    await bob.open(ANA, bundleOf(creds[0]))
    for (let i = 0; i < 6; i += 1) {
      const [toBob, toAna] = [
        await ana.encrypt(BOB, Buffer.from('a')),
        await bob.encrypt(ANA, Buffer.from('b')),
      ]
      expect(String(await bob.decrypt(ANA, toBob.type, toBob.ciphertext))).to.equal('a')
      expect(String(await ana.decrypt(BOB, toAna.type, toAna.ciphertext))).to.equal('b')
    }
  })

  it('refuse a signed prekey whose signature is wrong', async () => {
    const bundle = bundleOf(wire.initAuthCreds())
    const signedPreKey = { ...bundle.signedPreKey, signature: Buffer.alloc(64) }
    const sessions = createSessions(wire, wire.initAuthCreds(), async () => undefined)
    await rejection(sessions.open(BOB, { ...bundle, signedPreKey }))
    expect(await sessions.isOpen(BOB)).to.equal(false)
  })
})

describe('the sender keys of a phone', () => {
  it('decrypt out of order, and each message once', () => {
    const [ana, bob] = [createSenderKeys(wire), createSenderKeys(wire)]
    const sent = ['one', 'two', 'three'].map((text) => ana.encrypt(GROUP, Buffer.from(text)))
    const [one, two, three] = sent.map(({ ciphertext }) => ciphertext) as [Buffer, Buffer, Buffer]
    bob.accept(GROUP, ANA, sent[0]?.distribution ?? Buffer.alloc(0))
    const read = (ciphertext: Buffer) => String(bob.decrypt(GROUP, ANA, ciphertext))
    expect([three, one, two].map(read)).to.deep.equal(['three', 'one', 'two'])
    for (const again of [one, three]) expect(() => read(again)).to.throw('already decrypted')
  })

  it('refuse a forged message, also after another member has accepted the true one', () => {
    const [ana, bob, cem] = [createSenderKeys(wire), createSenderKeys(wire), createSenderKeys(wire)]
    const { ciphertext, distribution } = ana.encrypt(GROUP, Buffer.from('one'))
    bob.accept(GROUP, ANA, distribution)
    // The same chain under the key of another author.
    const forged = wire.proto.SenderKeyDistributionMessage.decode(distribution.subarray(1))
    forged.signingKey = wire.generateSignalPubKey(wire.Curve.generateKeyPair().public)
    cem.accept(
      GROUP,
      ANA,
      Buffer.concat([
        distribution.subarray(0, 1),
        wire.proto.SenderKeyDistributionMessage.encode(forged).finish(),
      ]),
    )
    expect(() => bob.decrypt(GROUP, ANA, garbled(ciphertext))).to.throw('signature')
    expect(String(bob.decrypt(GROUP, ANA, ciphertext))).to.equal('one')
    expect(() => cem.decrypt(GROUP, ANA, ciphertext)).to.throw('signature')
    expect(() => cem.decrypt(GROUP, BOB, ciphertext)).to.throw('no sender key')
  })

  it('are those of unmodified Baileys', async () => {
    const ana = createSenderKeys(wire)
    const records = new Map<string, SenderKeyRecord>()
    const store = {
      loadSenderKey: async (name: SenderKeyName) => records.get(name.toString()) ?? new SenderKeyRecord(),
      storeSenderKey: async (name: SenderKeyName, record: SenderKeyRecord) =>
        void records.set(name.toString(), record),
    }
    const own = new SenderKeyName(GROUP, ProtocolAddress.from('2.0') as never)
    const distribution = await new GroupSessionBuilder(store).create(own)
    ana.accept(GROUP, BOB, distribution.serialize())
    for (const text of ['one', 'two', 'three']) {
      const ciphertext = await new GroupCipher(store, own).encrypt(Buffer.from(text))
      expect(String(ana.decrypt(GROUP, BOB, Buffer.from(ciphertext)))).to.equal(text)
    }
  })
})

function bundleOf({ signedIdentityKey, signedPreKey }: ReturnType<typeof wire.initAuthCreds>): KeyBundle {
  const { keyPair, keyId: id, signature } = signedPreKey
  const keyOf = (pair: { public: Uint8Array }) => Buffer.from(wire.generateSignalPubKey(pair.public))
  return {
    identityKey: keyOf(signedIdentityKey),
    signedPreKey: { id, key: keyOf(keyPair), signature: Buffer.from(signature) },
    preKey: undefined,
  }
}

function toKey(given: { keyId: number; publicKey: Uint8Array }, signature: Uint8Array = Buffer.alloc(0)) {
  return { id: given.keyId, key: Buffer.from(given.publicKey), signature: Buffer.from(signature) }
}

/** Two phones, of which the first has opened a session with the second. */
async function met() {
  const creds = [wire.initAuthCreds(), wire.initAuthCreds()] as const
  const [ana, bob] = creds.map((one) => createSessions(wire, one, async () => undefined)) as [
    ReturnType<typeof createSessions>,
    ReturnType<typeof createSessions>,
  ]
  await ana.open(BOB, bundleOf(creds[1]))
  return [ana, bob] as const
}

function garbled(ciphertext: Buffer): Buffer {
  const copy = Buffer.from(ciphertext)
  copy.writeUInt8(copy.readUInt8(copy.length - 1) ^ 0xff, copy.length - 1)
  return copy
}

/** Throws if the promise resolves. */
async function rejection(promise: Promise<unknown>): Promise<void> {
  const outcome = await promise.then(
    () => 'resolved',
    () => 'rejected',
  )
  expect(outcome).to.equal('rejected')
}
