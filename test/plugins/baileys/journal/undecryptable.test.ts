import { expect } from 'chai'
import { absentOf, failedOf } from '../../../../plugins/baileys/journal/undecryptable.ts'

const me = { id: '1:1@s.whatsapp.net', lid: '2:1@lid' }
const stanza = (attrs: Record<string, string>, content: { tag: string; bytes?: Buffer }[] = []) => ({
  tag: 'message',
  attrs: { id: 'X', t: '1', ...attrs },
  content: content.map(({ tag, bytes }) => ({ tag, attrs: {}, ...(bytes ? { content: bytes } : {}) })),
})

describe('undecryptable', () => {
  it('signals a message without content from a person, but not a count of a newsletter', () => {
    expect(absentOf(stanza({ from: '9@lid' }, [{ tag: 'unavailable' }]), me)).to.deep.include({
      unavailable: '',
    })
    expect(absentOf(stanza({ from: '9@newsletter' }, [{ tag: 'reactions' }]), me)).to.equal(undefined)
  })

  it('ignores a message from an impossible sender', () => {
    expect(absentOf(stanza({ from: 'nonsense' }), me)).to.equal(undefined)
    expect(absentOf(stanza({ from: '12@g.us' }), me)).to.equal(undefined)
  })

  it('signals a failed last part, but not a failed sender key in front of it', () => {
    const [key, body] = [Buffer.from('key'), Buffer.from('body')]
    const parts = [
      { tag: 'enc', bytes: key },
      { tag: 'enc', bytes: body },
    ]
    const message = stanza({ from: '12@g.us', participant: '9@lid' }, parts)
    expect(failedOf(message, key, 'why', me)).to.equal(undefined)
    expect(failedOf(message, body, 'why', me)).to.deep.include({ reason: 'why', unavailable: undefined })
  })
})
