import { expect } from 'chai'
import { startNetwork } from '../../../support/network.ts'

describe('attempts patch', () => {
  it('lets two devices decrypt each other after simultaneous first messages, with two sessions each', async () => {
    const { network, phones } = await startNetwork()
    const [ana, bea] = await Promise.all([phones.create({ name: 'Ana' }), phones.create({ name: 'Bea' })])
    for (let i = 0; i < 6; i += 1) {
      const text = `both ${i}`
      await Promise.all([
        ana.send(bea.account.lid, { Text: text }),
        bea.send(ana.account.lid, { Text: text }),
      ])
      for (const phone of [ana, bea])
        await phone.wait(({ fromMe, raw }) => !fromMe && raw.conversation === text, 3000)
      expect([...ana.failures, ...bea.failures]).to.deep.equal([])
    }
    await network.close()
  })
})
