import { expect } from 'chai'
import { wire } from '../../../plugins/baileys/protocol/wire.ts'
import { flagsOf } from '../../../plugins/messages/translate/info.ts'
import { fromFamilyCasing, toFamilyCasing } from '../../../plugins/messaging/casing.ts'

const { Message } = wire.proto

describe('message bodies', () => {
  it('carry the names, bytes and numbers that receivers of this family parse', () => {
    const message = Message.fromObject({
      imageMessage: {
        url: 'u',
        fileSha256: Buffer.from([1, 2]),
        fileLength: 12345678901,
        jpegThumbnail: Buffer.from([3]),
        contextInfo: { stanzaId: 's', mentionedJid: ['1@lid'] },
      },
    })
    expect(toFamilyCasing(message)).to.deep.equal({
      imageMessage: {
        URL: 'u',
        fileSHA256: 'AQI=',
        fileLength: '12345678901',
        JPEGThumbnail: 'Aw==',
        contextInfo: { stanzaID: 's', mentionedJID: ['1@lid'] },
      },
    })
    const reaction = Message.fromObject({ reactionMessage: { key: { id: 'x', remoteJid: 'r' }, text: '👍' } })
    expect(toFamilyCasing(reaction)).to.have.nested.property('reactionMessage.key.ID', 'x')
    for (const one of [message, reaction])
      expect(fromFamilyCasing(toFamilyCasing(one))).to.deep.equal(one.toJSON())
  })

  it('are unwrapped, with flags for the wrappers', () => {
    const wrapped = Message.fromObject({
      ephemeralMessage: { message: { viewOnceMessageV2: { message: { conversation: 'hi' } } } },
    })
    const { inner, flags } = flagsOf(wrapped)
    expect(inner.conversation).to.equal('hi')
    expect(flags).to.include({ IsEphemeral: true, IsViewOnceV2: true, IsEdit: false })
  })
})
