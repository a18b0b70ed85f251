import { expect } from 'chai'
import { participantHash } from '../../../../plugins/baileys/send/participants.ts'

describe('the hash of participants', () => {
  it('is that of other clients, in any order and without duplicates', () => {
    // Of whatsapp-rust (wacore/src/messages.rs, wacore/src/send/tests.rs), which compared them with whatsmeow.
    expect(participantHash(['5511999999999:3@s.whatsapp.net'])).to.equal('2:5s+YxCff')
    expect(participantHash(['5511999999999@s.whatsapp.net'])).to.equal('2:RJWVxcMQ')
    const two = ['7469250125917:21@s.whatsapp.net', '5511988887777:14@s.whatsapp.net']
    expect(participantHash([...two, ...two])).to.equal('2:AAv/hwhn')
    const group = [
      '100000000000001@lid',
      '100000000000001:5@lid',
      '100000000000002@lid',
      '100000000000003@lid',
      '100000000000003:12@lid',
      '100000000000099@lid',
    ]
    expect(participantHash([...group, '100000000000099:24@lid'])).to.equal('2:sti8OtHX')
  })
})
