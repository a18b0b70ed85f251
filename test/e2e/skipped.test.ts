import { expect } from 'chai'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { everyEngine } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import type { TestGateway } from '../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import { createProbe, type Probe } from '../support/probe.ts'
import { startOn } from '../support/restarts.ts'
import { type LinkedSession, linkPhone, sessionOf } from '../support/sessions.ts'

for (const engine of everyEngine) {
  describe(`messages to a group that later ones have passed (${engine.name})`, () => {
    const place = engine.fresh()
    let loose: LooseNetwork
    let gateway: TestGateway
    let probe: Probe
    let session: LinkedSession
    let ana: Phone
    let group: string

    async function start(): Promise<void> {
      probe = createProbe()
      gateway = await startOn(loose, place, [probe.plugin])
    }
    before(async () => {
      loose = await startNetwork()
      await start()
      const shop = await loose.phones.create({ name: 'Shop' })
      session = await linkPhone(gateway, shop)
      ana = await loose.phones.create({ name: 'Ana' })
      group = String(
        (await ana.act({ Action: 'createGroup', Text: 'G', Participants: [shop.account.phone] }))['JID'],
      )
    })
    after(async () => {
      await gateway.stop()
      await loose.network.close()
    })

    const fault = (Fault: string, more: object = {}) =>
      loose.network.fault({ Fault, Phone: session.phone.account.phone, ...more })
    const logged = (id: string) => probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === id)
    /** Sends a message that passes the given ones. */
    async function pass(texts: readonly string[]): Promise<string[]> {
      await logged(await ana.send(group, { Text: 'brings the sender key' }))
      fault('holdMessages', { Count: texts.length })
      const held = []
      for (const Text of texts) held.push(await ana.send(group, { Text }))
      await logged(await ana.send(group, { Text: 'passes them' }))
      return held
    }
    async function comeAndAreRead(ids: readonly string[], texts: readonly string[]): Promise<void> {
      fault('releaseMessages')
      for (const [at, id] of ids.entries()) {
        const { body } = await logged(id)
        expect(body['event']).to.have.nested.property('Message.conversation', texts[at])
      }
      expect(probe.events('UndecryptableMessage')).to.deep.equal([])
      expect(loose.network.view()['Counters']).to.include({ retries: 0 })
    }

    it('are read after a reconnect', async () => {
      const texts = ['one', 'two', 'three']
      const held = await pass(texts)
      const logins = () => (loose.network.view()['Counters'] as { logins: number }).logins
      const before = logins()
      fault('drop')
      await eventually(() => logins() > before, 'connected again')
      await session.status({ LoggedIn: true })
      await comeAndAreRead(held, texts)
    })

    it('are read after a restart', async () => {
      const texts = ['four', 'five']
      const held = await pass(texts)
      await gateway.stop()
      await start()
      session = sessionOf(gateway, session.token, session.phone)
      await session.status({ LoggedIn: true })
      await comeAndAreRead(held, texts)
    })
  })
}
