import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'

/** group_history_send */
const SEND = 15313

describe('the history of a group that is shared with a phone', () => {
  let loose: LooseNetwork
  let ana: Phone
  let bea: Phone
  let cem: Phone
  let dan: Phone
  let group: string
  before(async () => {
    loose = await startNetwork()
    const create = (name: string) => loose.phones.create({ name })
    ;[ana, bea, cem, dan] = [
      await create('Ana'),
      await create('Bea'),
      await create('Cem'),
      await create('Dan'),
    ]
    loose.network.fault({ Fault: 'props', Phone: ana.account.phone, Props: { [SEND]: '1' } })
    const Participants = [bea.account.phone]
    group = String((await ana.act({ Action: 'createGroup', Text: 'Team', Participants }))['JID'])
    await arrives(ana, 'one', [bea])
    await arrives(bea, 'two', [ana])
    const added = [cem.account.phone, dan.account.phone]
    await ana.act({ Action: 'addToGroup', Chat: group, Participants: added })
  })
  after(() => loose.network.close())

  async function arrives(from: Phone, Text: string, at: readonly Phone[]): Promise<void> {
    const id = await from.send(group, { Text })
    for (const phone of at) await phone.wait((message) => message.id === id)
  }
  const shown = ({ display }: Phone) =>
    display.page(group, Number.POSITIVE_INFINITY, 20).map(({ From, Text }) => [From, Text])
  const share = () => ana.act({ Action: 'shareHistory', Chat: group, Participants: [cem.account.phone] })

  it('is shown there once, by its authors, and by nobody else who joins (whatsapp/40)', async () => {
    const known = [
      [ana.account.phone, 'one'],
      [bea.account.phone, 'two'],
    ]
    for (const text of ['welcome', 'once more']) {
      await share()
      await arrives(ana, text, [bea, cem, dan])
    }
    const last = [
      [ana.account.phone, 'welcome'],
      [ana.account.phone, 'once more'],
    ]
    expect(shown(cem)).to.deep.equal([...known, ...last])
    expect(shown(bea)).to.deep.equal([...known, ...last])
    expect(shown(dan)).to.deep.equal(last)
  })

  it('is not unread, and nobody is told that it was read', async () => {
    expect(cem.display.chats().find(({ chat }) => chat === group)).to.include({ unread: 2 })
    const earlier = ana.messages().filter(({ message }) => /"(one|two)"/.test(JSON.stringify(message)))
    expect(earlier).to.have.length(2)
    const { Read } = await cem.act({ Action: 'read', Chat: group })
    for (const { id } of earlier) expect(Read).to.not.include(id)
  })
})
