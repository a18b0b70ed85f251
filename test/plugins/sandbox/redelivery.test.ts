import { expect } from 'chai'
import { el } from '../../../plugins/sandbox/stanza.ts'
import type { Stanza } from '../../../plugins/sandbox/types.ts'
import { linkRaw, stanzaWith } from '../../support/clients/raw-companion.ts'
import { eventually } from '../../support/eventually.ts'
import { startNetwork } from '../../support/network.ts'

describe('the copy of a message that its account wrote on the phone', () => {
  async function start() {
    const loose = await startNetwork()
    const [ana, bob] = [
      await loose.phones.create({ name: 'Ana' }),
      await loose.phones.create({ name: 'Bob' }),
    ]
    const companion = await linkRaw(loose, ana)
    loose.network.fault({ Fault: 'pushQueue' })
    const one = await companion.logIn()
    await stanzaWith(one, 'offline')
    const counters = () => loose.network.view()['Counters'] as Record<string, number>
    const copies = () => one.stanzas.filter(({ attrs }) => attrs['recipient'] !== undefined)
    await ana.send(bob.account.phone, { Text: 'from the phone' })
    const copy = await eventually(() => copies()[0], 'the copy')
    const receive = (attrs: Record<string, string>) => {
      const { id = '', from = '' } = copy.attrs
      one.send(el('receipt', { id, to: from, type: 'sender', ...attrs }))
    }
    return { loose, companion, one, copy, copies, counters, receive }
  }
  const acked = (stanzas: readonly Stanza[], id: string | undefined) =>
    stanzas.some(({ tag, attrs }) => tag === 'ack' && attrs['class'] === 'receipt' && attrs['id'] === id)

  it('is confirmed by a receipt that names no recipient', async () => {
    const { loose, companion, one, copy, counters, receive } = await start()
    receive({})
    await eventually(() => acked(one.stanzas, copy.attrs['id']), 'the receipt is acknowledged')
    await one.close()
    const two = await companion.logIn()
    await stanzaWith(two, 'offline')
    expect(two.stanzas.filter(({ attrs }) => attrs['recipient'] !== undefined)).to.deep.equal([])
    expect(counters()).to.include({ redelivered: 0 })
    await two.close()
    await loose.network.close()
  })

  it('comes again after one that names another', async () => {
    const { loose, one, copies, counters, receive } = await start()
    receive({ recipient: '1@lid' })
    await eventually(() => copies().length > 1, 'the copy comes again')
    expect(counters()['redelivered']).to.be.at.least(1)
    await one.close()
    await loose.network.close()
  })
})
