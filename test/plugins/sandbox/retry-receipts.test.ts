import { expect } from 'chai'
import { el } from '../../../plugins/sandbox/stanza.ts'
import type { Stanza } from '../../../plugins/sandbox/types.ts'
import { linkRaw, stanzaWith } from '../../support/clients/raw-companion.ts'
import { eventually } from '../../support/eventually.ts'
import { startNetwork } from '../../support/network.ts'

const REGISTRATION = el('registration', {}, Buffer.alloc(4))

describe('receipts on the local network', () => {
  it('that ask for a message again are forwarded in the form of WhatsApp, and dropped in any other (whatsapp/31)', async () => {
    const loose = await startNetwork()
    const [ana, bob] = [
      await loose.phones.create({ name: 'Ana' }),
      await loose.phones.create({ name: 'Bob' }),
    ]
    const companion = await linkRaw(loose, ana)
    loose.network.fault({ Fault: 'pushQueue' })
    const { JID: group = '' } = (await bob.act({
      Action: 'createGroup',
      Text: 'Team',
      Participants: [ana.account.phone],
    })) as { JID?: string }
    const connection = await companion.logIn()
    await stanzaWith(connection, 'offline')
    const id = await bob.send(group, { Text: 'hello' })
    const received = () =>
      connection.stanzas.filter(({ tag, attrs }) => tag === 'message' && attrs['id'] === id)
    await eventually(() => received().length === 1, 'the message')
    const { participant = '', t } = received()[0]?.attrs ?? {}
    const counters = () => loose.network.view()['Counters'] as Record<string, number>

    const ask = (attrs: object, content: Stanza[]) =>
      connection.send(el('receipt', { id, to: group, participant, type: 'retry', ...attrs }, content))
    const retry = (attrs: object = {}) => el('retry', { count: 1, id, t, v: 1, error: 7, ...attrs })
    const malformed: [object, Stanza[]][] = [
      [{ recipient: ana.account.lid }, [retry(), REGISTRATION]],
      [{}, [retry({ error: 14 }), REGISTRATION]],
      [{}, [retry({ error: 'bad' }), REGISTRATION]],
      [{}, [retry({ count: 6 }), REGISTRATION]],
      [{}, [retry({ id: 'other' }), REGISTRATION]],
      [{}, [retry()]],
      [{}, [REGISTRATION]],
    ]
    for (const one of malformed) ask(...one)
    await eventually(() => counters()['malformedRetries'] === malformed.length, 'all are dropped')
    expect(counters()).to.include({ retries: 0 })
    expect(received()).to.have.length(1)
    ask({}, [retry(), REGISTRATION])
    await eventually(() => received().length === 2, 'the message comes again')
    expect(counters()).to.include({ retries: 1 })
    await connection.close()
    await loose.network.close()
  })

  it('of more than 256 messages are dropped', async () => {
    const loose = await startNetwork()
    const [ana, bob] = [
      await loose.phones.create({ name: 'Ana' }),
      await loose.phones.create({ name: 'Bob' }),
    ]
    const connection = await (await linkRaw(loose, ana)).logIn()
    const counters = () => loose.network.view()['Counters'] as Record<string, number>
    const read = (id: string, more: number) => {
      const items = Array.from({ length: more }, (_, at) => el('item', { id: `${id}${at}` }))
      connection.send(el('receipt', { id, to: bob.account.lid, type: 'read' }, [el('list', {}, items)]))
    }
    read('TOOMANY', 256)
    read('ENOUGH', 255)
    const got = (id: string) => bob.receipts.some((one) => one.id === id)
    await eventually(() => got('ENOUGH254'), 'the smaller one is forwarded')
    expect(got('TOOMANY')).to.equal(false)
    expect(counters()).to.include({ oversizedReceipts: 1 })
    await connection.close()
    await loose.network.close()
  })
})
