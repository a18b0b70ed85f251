import type { BinaryNode } from '@whiskeysockets/baileys'
import { expect } from 'chai'
import { decodeBinaryNode, encodeBinaryNode } from '../../../plugins/baileys/baileys.ts'
import { wire } from '../../../plugins/baileys/protocol/wire.ts'
import { createDecoder } from '../../../plugins/sandbox/network/transport/decode.ts'
import { createEncoder } from '../../../plugins/sandbox/network/transport/encode.ts'
import type { Stanza } from '../../../plugins/sandbox/types.ts'

const encode = createEncoder(wire.tokens)
const decode = createDecoder(wire.tokens)

/** Texts of every form, with JIDs of every server. */
const TEXTS = [
  'message',
  'from',
  'ABPROP',
  '5511900000001',
  '1-2.3',
  '123',
  '0',
  '3A0F',
  '3A0',
  'ABCDEF0123456789'.repeat(8),
  'x'.repeat(300),
  'grüße 👋',
  's.whatsapp.net',
  '5511900000001@s.whatsapp.net',
  '5511900000001:7@s.whatsapp.net',
  '900001:12@lid',
  '900001@lid',
  '120363000000000000@g.us',
  '12-34@g.us',
  'status@broadcast',
  '@s.whatsapp.net',
  '867051314767696@bot',
  '120363@newsletter',
  'constructor',
]
const deep: Stanza = {
  tag: 'iq',
  attrs: { id: '1', constructor: 'toString' },
  content: [
    { tag: 'list', attrs: {}, content: TEXTS.map((text) => ({ tag: 'user', attrs: { jid: text } })) },
    { tag: 'small', attrs: {}, content: Buffer.alloc(3, 1) },
    { tag: 'medium', attrs: {}, content: Buffer.alloc(3000, 2) },
    { tag: 'large', attrs: {}, content: Buffer.alloc(2 ** 20 + 5, 3) },
    { tag: 'many', attrs: {}, content: Array.from({ length: 300 }, () => ({ tag: 'x', attrs: {} })) },
    { tag: 'none', attrs: {}, content: [] },
  ],
}

describe('binary stanzas of the local network', () => {
  for (const text of TEXTS) {
    it(`have "${text.slice(0, 40)}" in the form of Baileys`, async () => {
      const stanza = { tag: 'message', attrs: { id: text }, content: [{ tag: text, attrs: {} }] }
      expect(Buffer.from(encode(stanza))).to.deep.equal(encodeBinaryNode(stanza))
      expect(decode(encodeBinaryNode(stanza))).to.deep.equal(stanza)
    })
  }

  it('are read by Baileys, and read what it writes, whatever their size', async () => {
    expect(plain(await decodeBinaryNode(Buffer.from(encode(deep))))).to.deep.equal(deep)
    expect(decode(encodeBinaryNode(deep))).to.deep.equal(deep)
  })

  it('keep text with an @ that is no JID, which Baileys would encode as one', async () => {
    const stanza = { tag: 'group', attrs: { subject: 'Team: a@b', topic: 'x@y z', notify: 'A_1:3@lid' } }
    expect(plain(await decodeBinaryNode(Buffer.from(encode(stanza))))).to.deep.equal(stanza)
  })

  it('are refused when they are cut off', () => {
    const whole = Buffer.from(encode(deep))
    for (let size = 1; size < 400; size += 1) expect(() => decode(whole.subarray(0, size))).to.throw()
  })
})

/** Without the content that Baileys names though there is none. */
function plain({ tag, attrs, content }: BinaryNode): object {
  if (content === undefined) return { tag, attrs }
  return { tag, attrs, content: Array.isArray(content) ? content.map(plain) : content }
}
