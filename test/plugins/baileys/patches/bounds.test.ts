import { expect } from 'chai'
import { proto } from '../../../../plugins/baileys/baileys.ts'
import { BOUNDS, trusted } from '../../../../plugins/baileys/patches/bounds.ts'
import { field, nestedQuotes, varint } from '../../../support/plain.ts'

const { Message, WebMessageInfo } = proto
/** Message.extendedTextMessage.contextInfo.mentionedJid. */
const mentions = (count: number): Buffer =>
  field(6, field(17, Buffer.concat(Array.from({ length: count }, () => field(15, Buffer.from('1@lid'))))))
const text = (bytes: number): Buffer => field(1, Buffer.alloc(bytes, 'x'))
/** Message.messageContextInfo.deviceListMetadata.senderKeyIndexes: numbers in one piece. */
const numbers = (count: number): Buffer =>
  field(35, field(1, field(3, Buffer.concat(Array.from({ length: count }, () => varint(1))))))

describe('what is decoded', () => {
  it('nests at most 100 levels', () => {
    expect(Message.decode(nestedQuotes(33)).extendedTextMessage?.text).to.equal('quote 32')
    for (const quotes of [34, 1_500, 15_000])
      expect(() => Message.decode(nestedQuotes(quotes))).to.throw('nested more than 100 levels')
  })

  it('has at most 10,000 values, and 1 MiB', () => {
    expect(Message.decode(mentions(9_000)).extendedTextMessage?.contextInfo?.mentionedJid).to.have.length(
      9_000,
    )
    expect(() => Message.decode(Uint8Array.from(mentions(9_000)))).to.not.throw()
    expect(() => Message.decode(mentions(BOUNDS.values + 1))).to.throw('more than 10000 values')
    expect(() => Message.decode(numbers(BOUNDS.values + 1))).to.throw('more than 10000 values')
    expect(Message.decode(text(BOUNDS.bytes - 10)).conversation).to.have.length(BOUNDS.bytes - 10)
    expect(() => Message.decode(text(BOUNDS.bytes))).to.throw('more than 1048576 bytes')
  })

  it('is bounded for each message, however many there are', () => {
    for (let i = 0; i < 20; i += 1) Message.decode(mentions(9_000))
  })

  it('leaves a message without content where something has others, too', () => {
    const info = (content: Buffer): Buffer => field(2, content)
    expect(WebMessageInfo.decode(info(text(3))).message?.conversation).to.equal('xxx')
    for (const content of [nestedQuotes(40), mentions(BOUNDS.values + 1), text(BOUNDS.bytes)]) {
      // Field 5 is the participant: what follows is read.
      const read = WebMessageInfo.decode(Buffer.concat([info(content), field(5, Buffer.from('1@lid'))]))
      expect(read.toJSON()).to.deep.equal({ message: {}, participant: '1@lid' })
    }
  })

  it('is not bounded where the gateway has encoded it', () => {
    expect(trusted(() => Message.decode(nestedQuotes(40)))).to.have.property('extendedTextMessage')
    expect(() => Message.decode(nestedQuotes(40))).to.throw('nested')
  })

  it('may have fields added by other patches at any level', () => {
    // Message.pollCreationMessageV6.contextInfo.quotedMessage …
    let nested: Buffer = text(1)
    for (let i = 0; i < 3_000; i += 1) nested = field(119, field(5, field(3, nested)))
    expect(() => Message.decode(nested)).to.throw('nested more than 100 levels')
  })
})
