import { expect } from 'chai'
import { definePlugin, type Events, type GatewaySignals } from '../../../kernel/plugin.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { createProbe } from '../../support/probe.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'

describe('copies of one message', () => {
  const probe = createProbe()
  let events: Events
  const inside = definePlugin({
    name: 'inside',
    version: '1.0.0',
    api: '^1.0.0',
    setup: async (deps) => {
      events = deps.events
    },
  })
  let world: World
  let session: LinkedSession
  let ana: Phone
  before(async () => {
    ;({ world, session, ana } = await openShop({ extra: [probe.plugin, inside] }))
  })
  after(() => world.stop())

  const fault = (Fault: string, Count = 1) =>
    world.fault({ Phone: session.phone.account.phone, Fault, Count })
  const logged = (id: string) =>
    probe.events('Message').filter(({ body }) => (body['event'] as { Info: { ID: string } }).Info.ID === id)

  it('are one event after a resend by the sender and a redelivery by the network', async () => {
    fault('garble')
    const id = await ana.send(session.phone.account.phone, { Text: 'twice' })
    const ofId = (event: Record<string, unknown>) => (event['Info'] as { ID: string }).ID === id
    await probe.event('UndecryptableMessage', ofId)
    await probe.event('Message', ofId)
    // Both the copy that could not be read, which the sender is asked for again, and the one that could.
    fault('redeliver', 2)
    const last = await ana.send(session.phone.account.phone, { Text: 'after' })
    await probe.event('Message', (event) => (event['Info'] as { ID: string }).ID === last)
    expect(logged(id)).to.have.length(1)
    expect(logged(id)[0]?.seq).to.be.lessThan(logged(last)[0]?.seq ?? 0)
  })

  it('are one event in one lane when they name the sender by LID and by phone number', async () => {
    const { phone, lid } = ana.account
    const pn = `${phone}@s.whatsapp.net`
    const { id: row } = (await probe.session(session.token)) ?? { id: '' }
    const raise = (remoteJid: string, remoteJidAlt: string, id: string) =>
      events.raise(row, 'message', {
        message: {
          key: { remoteJid, remoteJidAlt, fromMe: false, id },
          messageTimestamp: 1_700_000_000,
          message: { conversation: 'x' },
        },
        upsert: 'notify',
        attrs: {},
      } as GatewaySignals['message'])
    const [first] = await raise(lid, pn, 'COPY1')
    expect(first).to.have.property('type', 'Message')
    expect(await raise(pn, lid, 'COPY1')).to.deep.equal([])
    const [second] = await raise(pn, lid, 'COPY2')
    expect(second?.lane).to.equal(first?.lane)
  })
})
