import { proto } from '@whiskeysockets/baileys'
import { expect } from 'chai'
import { pollOptionHash, QUIZ } from '../../../plugins/messaging/conventions.ts'

describe('polls', () => {
  it('have the types of the protobuf', () => {
    expect(QUIZ).to.equal(proto.Message.PollType.QUIZ)
  })

  it('name an option by the SHA-256 of its name in UTF-8', () => {
    expect(pollOptionHash('Pão').toString('hex')).to.equal(
      '8768ef50c11f5e5b0fc2dc3a481dfa9d28f48efdcbb1b371d2e989943d04d691',
    )
  })
})
