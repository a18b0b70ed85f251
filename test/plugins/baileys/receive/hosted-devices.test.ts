import { expect } from 'chai'
import chatLog from '../../../../plugins/chat-log/index.ts'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { child } from '../../../../plugins/sandbox/stanza.ts'
import type { Stanza } from '../../../../plugins/sandbox/types.ts'
import { engines } from '../../../support/databases.ts'
import { eventually } from '../../../support/eventually.ts'
import type { TestGateway } from '../../../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../../../support/network.ts'
import { startOn } from '../../../support/restarts.ts'
import { type LinkedSession, linkPhone } from '../../../support/sessions.ts'

type Place = ReturnType<(typeof engines)[number]['fresh']>

describe('messages that a hosted device has written', () => {
  const receipts: Stanza[] = []
  let loose: LooseNetwork
  let place: Place
  let gateway: TestGateway
  let session: LinkedSession
  let bakery: Phone
  let ana: Phone
  before(async () => {
    loose = await startNetwork({
      observe(event) {
        if (event.kind === 'stanza' && event.stanza.tag === 'receipt') receipts.push(event.stanza)
      },
    })
    place = (engines[0] as (typeof engines)[number]).fresh()
    gateway = await startOn(loose, place, [chatLog])
    bakery = await loose.phones.create({ name: 'Bakery', business: true })
    ana = await loose.phones.create({ name: 'Ana' })
    await bakery.act({ Action: 'addHostedDevice' })
  })
  after(async () => {
    await gateway.stop()
    await loose.network.close()
  })
  afterEach(() => loose.network.fault({ Fault: 'clear' }))

  const counters = () => loose.network.view()['Counters'] as Record<string, number>
  const write = async (Chat: string, Text: string): Promise<string> =>
    String((await bakery.act({ Action: 'writeFromHosted', Chat, Text }))['Id'])
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect
  async function logged({ headers }: LinkedSession, id: string): Promise<any> {
    return eventually(async () => {
      const { data } = await gateway.get('/events?limit=1000&class=Message', headers)
      return data.Events.find((one: { event: { Info?: { ID: string } } }) => one.event?.Info?.ID === id)
    }, 'the message is logged')
  }
  async function chats({ headers }: LinkedSession): Promise<unknown[]> {
    const { data } = await gateway.get('/chats', headers)
    return data.Chats.map(({ Phone, LID }: Record<string, string>) => ({ Phone, LID }))
  }

  it('reach a customer in the chat with the business, and say that the Cloud API wrote them (whatsapp/41)', async () => {
    session = await linkPhone(gateway, ana)
    const { event, message } = await logged(session, await write(ana.account.phone, 'we close at six'))
    expect(event.Info).to.include({ Chat: bakery.account.lid, Sender: bakery.account.lid, IsFromMe: false })
    expect(message.from).to.include({ phone: bakery.account.phone, lid: bakery.account.lid })
    expect(message.chat).to.include({ jid: bakery.account.lid, type: 'person' })
    expect(message.businessOrigin).to.deep.equal({ isHosted: true })
    const last = await bakery.send(ana.account.phone, { Text: 'by our own hands' })
    expect((await logged(session, last)).message).not.to.have.property('businessOrigin')
    expect(await chats(session)).to.deep.equal([{ Phone: bakery.account.phone, LID: bakery.account.lid }])
    expect(counters()).to.include({ retries: 0 })
  })

  for (const lidMigrated of [true, false])
    it(`tell number and LID of a business that writes first, by ${lidMigrated ? 'LID' : 'number'}`, async () => {
      const garage = await loose.phones.create({ name: 'Garage', business: true, lidMigrated })
      await garage.act({ Action: 'addHostedDevice' })
      const { phone, jid, lid } = garage.account
      const write = { Action: 'writeFromHosted', Chat: ana.account.phone, Text: 'it is repaired' }
      // The second one names one of them.
      for (const Fault of ['clear', 'noAlternates']) {
        loose.network.fault({ Fault })
        const { Id } = await garage.act(write)
        const { event, message } = await logged(session, String(Id))
        expect(event.Info).to.include({ Chat: lidMigrated ? lid : jid, IsFromMe: false })
        expect(message.from).to.include({ phone, lid })
      }
      for (const to of [jid, lid]) {
        const { data } = await gateway.post('/send/text', { Phone: to, Body: to }, session.headers)
        for (const at of [garage, garage.hosted.messages]) await at.wait(({ id }) => id === data.Id)
      }
      const known = await chats(session)
      expect(known.filter((one) => JSON.stringify(one).includes(phone))).to.deep.equal([
        { Phone: phone, LID: lid },
      ])
      expect(counters()).to.include({ outdatedDevices: 0, misaddressed: 0 })
    })

  it('are asked for again with keys, the first time too: it keeps no sessions', async () => {
    loose.network.fault({ Fault: 'garble', Phone: ana.account.phone, Count: 1 })
    const id = await write(ana.account.phone, 'garbled at first')
    await logged(session, id)
    const asked = receipts.filter(({ attrs }) => attrs['id'] === id && attrs['type'] === 'retry')
    expect(asked.map((one) => child(one, 'keys')?.tag)).to.deep.equal(['keys'])
    expect(asked[0]?.attrs['to']).to.equal(bakery.account.lid.replace('@lid', ':99@hosted.lid'))
  })

  it('are own ones of the account, in the chat of the recipient, also after a restart', async () => {
    const own = await linkPhone(gateway, bakery)
    const shown = async (Text: string, id = write(ana.account.phone, Text)) => {
      const { event, message } = await logged(own, await id)
      expect(event.Info).to.include({ Chat: ana.account.lid, IsFromMe: true })
      expect(event.Info.Sender).to.equal(bakery.account.jid)
      expect(message.to).to.include({ phone: ana.account.phone, lid: ana.account.lid })
      expect(message.businessOrigin).to.deep.equal({ isHosted: true })
      expect(await chats(own)).to.deep.equal([{ Phone: ana.account.phone, LID: ana.account.lid }])
    }
    await shown('first')
    await gateway.stop()
    const missed = write(ana.account.phone, 'while it was down')
    await missed
    gateway = await startOn(loose, place, [chatLog])
    await shown('while it was down', missed)
    await shown('after that')
    // The number of the account is not taken for that of the recipient.
    const { data } = await gateway.post(
      '/send/text',
      { Phone: ana.account.phone, Body: 'from here' },
      own.headers,
    )
    await ana.wait(({ id }) => id === data.Id)
    await bakery.hosted.messages.wait(({ id }) => id === data.Id)
    expect(counters()).to.include({ outdatedDevices: 0, misaddressed: 0 })
  })
})
