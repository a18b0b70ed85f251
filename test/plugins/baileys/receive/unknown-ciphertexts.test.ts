import { expect } from 'chai'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { readMetrics } from '../../../support/metrics.ts'
import { createProbe } from '../../../support/probe.ts'
import { admin, openShop, type World } from '../../../support/world.ts'

type Body = Record<string, unknown> & { Info: Record<string, unknown> }

describe('ciphertexts of unknown types', () => {
  const probe = createProbe()
  let world: World
  let ana: Phone
  let shop: string
  before(async () => {
    const opened = await openShop({ extra: [probe.plugin] })
    ;({ world, ana } = opened)
    shop = opened.session.phone.account.phone
    await probe.synced(opened.session)
  })
  after(() => world.stop())
  afterEach(() => world.fault({ Fault: 'clear' }))

  const logged = async (type: string, id: string): Promise<Body> =>
    (await probe.event(type, ({ Info }) => (Info as { ID: string }).ID === id)).body['event'] as Body
  const retries = () => world.counters()['retries']
  const left = async () =>
    (await readMetrics(world.gateway.url, admin)).value('wamux_unknown_ciphertexts_total') ?? 0
  const chats = async (): Promise<[name: string, chat: string][]> => {
    const { JID } = await ana.act({ Action: 'createGroup', Text: 'Team', Participants: [shop] })
    await logged('Message', await ana.send(String(JID), { Text: 'with the key' }))
    return [
      ['person', shop],
      ['group', String(JID)],
    ]
  }

  it('are left out beside others, which are read as always, and not asked for again', async () => {
    for (const [name, chat] of await chats()) {
      const [asked, count] = [retries(), await left()]
      for (const Type of ['frskmsg', 'msmsg']) {
        world.fault({ Fault: 'addCiphertext', Phone: shop, Type })
        const id = await ana.send(chat, { Text: `beside ${Type}` })
        const { Message } = await logged('Message', id)
        expect(Message, name).to.include({ conversation: `beside ${Type}` })
      }
      expect(await left(), name).to.equal(count + 2)
      await logged('Message', await ana.send(chat, { Text: 'after them' }))
      expect(retries(), name).to.equal(asked)
    }
  })

  it('alone are reported, hidden like in the apps, and end: neither asked for nor delivered again', async () => {
    for (const [name, chat] of await chats()) {
      const [asked, count] = [retries(), await left()]
      world.fault({ Fault: 'replaceCiphertext', Phone: shop })
      const id = await ana.send(chat, { Text: 'nothing of it is known' })
      const event = await logged('UndecryptableMessage', id)
      expect(event, name).to.include({ DecryptFailMode: 'hide', IsUnavailable: false })
      expect(event['Reason']).to.equal('the type of its encryption is unknown: frskmsg')
      await logged('Message', await ana.send(chat, { Text: 'after it' }))
      expect(retries(), name).to.equal(asked)
      expect(await left(), name).to.equal(count + 1)
    }
    const lines = world.gateway.lines.filter((line) =>
      /unknown type.*frskmsg|frskmsg.*unknown type/.test(line),
    )
    expect(lines).to.have.length(1)
    const told = probe.events('UndecryptableMessage').length
    world.fault({ Fault: 'drop', Phone: shop })
    await logged('Message', await ana.send(shop, { Text: 'on the next link' }))
    expect(probe.events('UndecryptableMessage')).to.have.length(told)
  })

  it('under the secret of a question, but not by a bot, are refused as unreadable', async () => {
    world.fault({ Fault: 'replaceCiphertext', Phone: shop, Type: 'msmsg' })
    const id = await ana.send(shop, { Text: 'no bot wrote it' })
    const event = await logged('UndecryptableMessage', id)
    expect(event).to.include({ DecryptFailMode: '', IsUnavailable: false })
    await logged('Message', await ana.send(shop, { Text: 'after that' }))
  })
})
