import { expect } from 'chai'
import { fitting } from '../../../plugins/dashboard/web/forms/fitting.ts'

describe('a search in lists of the dashboard', () => {
  const session = '3f7c2b90-6d17-4a5e-9b42-70c1d8e5a6f3'

  it('finds what has all words, whatever their order, case and accents', () => {
    expect(fitting('koln MUSTER')(['Muster GmbH', 'Köln'])).to.equal(true)
    expect(fitting('koln bonn')(['Muster GmbH', 'Köln'])).to.equal(false)
    expect(fitting(' ')(['anything'])).to.equal(true)
  })

  it('finds ids and numbers by a part of four characters, not by a digit of a name', () => {
    expect(fitting('customer 7')(['customer 6'], [session, '4915112345678@s.whatsapp.net'])).to.equal(false)
    expect(fitting('customer 4567')(['customer 6'], ['4915112345678@s.whatsapp.net'])).to.equal(true)
    expect(fitting('3f7c')(['customer 6'], [session])).to.equal(true)
  })
})
