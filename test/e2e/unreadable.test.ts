import { expect } from 'chai'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { everyEngine } from '../support/databases.ts'
import type { TestGateway } from '../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import { nestedQuotes } from '../support/plain.ts'
import { createProbe, type Probe } from '../support/probe.ts'
import { startOn } from '../support/restarts.ts'
import { type LinkedSession, linkPhone, sessionOf } from '../support/sessions.ts'

for (const engine of everyEngine) {
  describe(`a message that nothing can read (${engine.name})`, () => {
    const place = engine.fresh()
    let loose: LooseNetwork
    let gateway: TestGateway
    let probe: Probe
    let session: LinkedSession
    let ana: Phone
    let bruno: Phone

    async function start(): Promise<void> {
      probe = createProbe()
      gateway = await startOn(loose, place, [probe.plugin])
    }
    before(async () => {
      loose = await startNetwork()
      await start()
      session = await linkPhone(gateway, await loose.phones.create({ name: 'Shop' }))
      ana = await loose.phones.create({ name: 'Ana' })
      bruno = await loose.phones.create({ name: 'Bruno' })
    })
    after(async () => {
      await gateway.stop()
      await loose.network.close()
    })

    const own = () => session.phone.account.phone
    const sends = (phone: Phone, plain: Uint8Array) =>
      phone.send(own(), { Plain: Buffer.from(plain).toString('base64') })
    const isOf = (id: string) => (event: Record<string, unknown>) =>
      event['ID'] === id || (event['Info'] as { ID?: string } | undefined)?.ID === id
    const unreadable = async (id: string) => (await probe.event('Unreadable', isOf(id))).body['event']
    const unreadableIds = async () => {
      const events: { type: string; event: { ID: string } }[] = []
      for (let after = 0; ; ) {
        const { data } = await session.get(`/events?limit=1000&after=${after}`)
        if (data.Events.length === 0) break
        events.push(...data.Events)
        after = data.Next
      }
      return events.filter(({ type }) => type === 'Unreadable').map(({ event }) => event.ID)
    }
    async function everythingWorks(text: string): Promise<void> {
      for (const phone of [ana, bruno]) {
        const id = await phone.send(own(), { Text: text })
        expect((await probe.event('Message', isOf(id))).body['message']).to.include({ text })
      }
      const sent = await session.post('/send/text', { Phone: ana.account.phone, Body: text })
      expect(sent.status).to.equal(200)
    }
    const links = () => (loose.network.view()['Counters'] as { logins: number }).logins

    it('is told of once, and ends nothing: 1,500 nested quotes', async () => {
      // The functions that read messages are compiled by then, and their frames are small.
      for (let i = 0; i < 300; i += 1) await sends(ana, nestedQuotes(30))
      await everythingWorks('before')
      const before = links()
      const id = await sends(ana, nestedQuotes(1_500))
      const event = (await unreadable(id)) as Record<string, unknown>
      expect(event).to.include({ Chat: ana.account.lid, Sender: ana.account.lid, IsFromMe: false })
      expect(event['Reason']).to.match(/100/)
      await everythingWorks('after')
      expect(links()).to.equal(before)
      expect(await unreadableIds()).to.deep.equal([id])
    })

    it('is told of once after a restart, too', async () => {
      const told = await unreadableIds()
      await gateway.stop()
      await start()
      session = sessionOf(gateway, session.token, session.phone)
      await session.status({ LoggedIn: true })
      await everythingWorks('restarted')
      expect(await unreadableIds()).to.deep.equal(told)
    })

    it('has its bytes in the event, whatever they are', async () => {
      for (const plain of [Buffer.from([0xff]), Buffer.from([0x0a, 0x7f, 1]), nestedQuotes(34)]) {
        const event = (await unreadable(await sends(bruno, plain))) as Record<string, unknown>
        expect(Buffer.from(String(event['Bytes']), 'base64').equals(plain)).to.equal(true)
        expect(event['Size']).to.equal(plain.length)
      }
      await everythingWorks('bytes')
    })
  })
}
