import { expect } from 'chai'
import { toVcard } from '../../../plugins/messaging/vcard.ts'

describe('a vCard', () => {
  it('has the fields that are given, with the characters escaped that separate them', () => {
    const card = toVcard({
      name: 'Bea; the first',
      lastName: 'Costa, Reis',
      organization: 'Acme\\Co',
      department: 'Sales',
      title: 'Head\nof sales',
      phones: [
        { digits: '5511988887777', types: ['CELL', 'VOICE'] },
        { digits: '5511977776666', shown: '+55 11 97777-6666', types: ['WORK;X-Y:z'] },
        { digits: '5511966665555', types: ['…'] },
      ],
      emails: ['bea@shop.example'],
      urls: ['https://shop.example/?a=1,2'],
      birthday: '2000-01-31',
    })
    expect(card.split('\n')).to.deep.equal([
      'BEGIN:VCARD',
      'VERSION:3.0',
      'N:Costa\\, Reis;Bea\\; the first;;;',
      'FN:Bea\\; the first',
      'ORG:Acme\\\\Co;Sales',
      'TITLE:Head\\nof sales',
      'TEL;type=CELL;type=VOICE;waid=5511988887777:+5511988887777',
      'TEL;type=WORKXYz;waid=5511977776666:+55 11 97777-6666',
      'TEL;type=CELL;waid=5511966665555:+5511966665555',
      'EMAIL:bea@shop.example',
      'URL:https://shop.example/?a=1\\,2',
      'BDAY:2000-01-31',
      'END:VCARD',
    ])
  })
})
