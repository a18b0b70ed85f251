import { expect } from 'chai'
import { addErrors } from '../../../kernel/errors.ts'
import { errors } from '../../../plugins/messaging/errors.ts'
import { toChat, toGroup, toNewsletter, toUser } from '../../../plugins/sender/target.ts'

describe('targets', () => {
  before(() => addErrors(errors))

  it('parse numbers and JIDs in common notations', () => {
    expect(toChat('+55 (11) 99999-9999')).to.equal('5511999999999@s.whatsapp.net')
    expect(toChat('5511999999999:12@c.us')).to.equal('5511999999999@s.whatsapp.net')
    expect(toUser('123456@lid')).to.equal('123456@lid')
    expect(toGroup('120363000000000001')).to.equal('120363000000000001@g.us')
    expect(toGroup('5511999999999-1600000000@g.us')).to.equal('5511999999999-1600000000@g.us')
    expect(toNewsletter('120363@newsletter')).to.equal('120363@newsletter')
  })

  it('refuse invalid ones', () => {
    for (const text of ['', 'abc', '12', '1@2@lid', 'x@g.us'])
      expect(() => toChat(text), text).to.throw('Phone')
    expect(() => toUser('120363@g.us')).to.throw('not a person')
    expect(() => toGroup('abc')).to.throw('Could not parse Group JID')
    expect(() => toNewsletter('5511999999999@s.whatsapp.net')).to.throw('Invalid JID')
  })
})
