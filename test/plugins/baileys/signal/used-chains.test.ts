import { expect } from 'chai'
import type { SessionRecord } from '../../../../plugins/baileys/signal/libsignal.ts'
import { dropUsedChains } from '../../../../plugins/baileys/signal/signal-batch.ts'
import { createLibsignalDevice } from '../../../support/clients/libsignal.ts'

describe('the chains of a Signal session', () => {
  const open = async (onStore: (record: SessionRecord) => void) => {
    let chains = 0
    const ana = createLibsignalDevice()
    const bea = createLibsignalDevice((record) => {
      onStore(record)
      chains = Object.values(record.sessions).reduce(
        (sum, { _chains }) => sum + Object.keys(_chains).length,
        0,
      )
    })
    await ana.open('bea', bea.bundle)
    const send = (text: string) => ana.encrypt('bea', text)
    const receive = async (message: Promise<{ type: 'pkmsg' | 'msg'; ciphertext: Buffer }>) => {
      const { type, ciphertext } = await message
      return bea.decrypt('ana', type, ciphertext)
    }
    /** A message each way: both take a new chain. */
    const exchange = async (text: string): Promise<void> => {
      expect(await receive(send(text))).to.equal(text)
      const answer = await bea.encrypt('ana', `re ${text}`)
      expect(await ana.decrypt('bea', answer.type, answer.ciphertext)).to.equal(`re ${text}`)
    }
    return { send, receive, exchange, chains: () => chains }
  }

  it('stay few however long the conversation is', async () => {
    const { exchange, chains } = await open(dropUsedChains)
    for (let round = 0; round < 60; round += 1) await exchange(`round ${round}`)
    // Those that are open: one to send on, one to receive on.
    expect(chains()).to.equal(5 + 2)
  })

  it('are kept by libsignal for good', async () => {
    const { exchange, chains } = await open(() => undefined)
    for (let round = 0; round < 60; round += 1) await exchange(`round ${round}`)
    expect(chains()).to.be.greaterThan(60)
  })

  it('are kept while a message on them has not come, up to fifty', async () => {
    const { send, receive, exchange, chains } = await open(dropUsedChains)
    await exchange('first')
    const late = [send('late 0')]
    for (let round = 1; round < 60; round += 1) {
      await exchange(`round ${round}`)
      late.push(send(`late ${round}`))
    }
    await exchange('last')
    expect(await receive(late[30] as (typeof late)[0])).to.equal('late 30')
    expect(chains()).to.be.within(50, 53)
    const lost = await receive(late[0] as (typeof late)[0]).catch((error: Error) => error.message)
    expect(lost).not.to.equal('late 0')
  })
})
