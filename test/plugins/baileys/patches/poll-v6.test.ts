import { expect } from 'chai'
import { proto } from '../../../../plugins/baileys/baileys.ts'
import type { WithPollV6 } from '../../../../plugins/baileys/patches/poll-v6.ts'

/** Field 119 with a poll of the question `Q`, and field 35 before it. */
const BYTES = Buffer.from('9a02021200ba0703120151', 'hex')

describe('a poll of version 6', () => {
  const decoded = (): WithPollV6 => proto.Message.decode(BYTES)

  it('is decoded, and encoded again', () => {
    expect(decoded().pollCreationMessageV6).to.deep.include({ name: 'Q' })
    expect(Buffer.from(proto.Message.encode(decoded()).finish()).toString('hex')).to.include('ba0703120151')
  })

  it('survives the conversion from and to plain objects', () => {
    const object = { pollCreationMessageV6: { name: 'Q', options: [{ optionName: 'a' }] } }
    expect(proto.Message.fromObject(object).toJSON()).to.deep.equal(object)
  })

  it('is decoded in messages inside of others', () => {
    const inner = Buffer.concat([Buffer.from([0x0a, BYTES.length]), BYTES])
    const history = Buffer.concat([Buffer.from([0x12, inner.length - 2]), BYTES])
    const info = proto.WebMessageInfo.decode(history)
    expect((info.message as WithPollV6).pollCreationMessageV6).to.deep.include({ name: 'Q' })
    const wrapped = proto.Message.FutureProofMessage.decode(inner)
    expect((wrapped.message as WithPollV6).pollCreationMessageV6).to.deep.include({ name: 'Q' })
  })

  it('is not found in the bytes of another field', () => {
    const text = Buffer.concat([Buffer.from([0x0a, BYTES.length]), BYTES])
    expect(proto.Message.decode(text)).not.to.have.property('pollCreationMessageV6')
  })
})
