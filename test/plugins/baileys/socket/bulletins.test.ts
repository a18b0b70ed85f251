import { expect } from 'chai'
import type { WireEvent } from '../../../../plugins/sandbox/network/transport/server.ts'
import { children } from '../../../../plugins/sandbox/stanza.ts'
import { everyEngine } from '../../../support/databases.ts'
import { eventually } from '../../../support/eventually.ts'
import { type LooseNetwork, startNetwork } from '../../../support/network.ts'
import { startOn } from '../../../support/restarts.ts'
import { type LinkedSession, linkPhone, messageLogged } from '../../../support/sessions.ts'

describe('bulletins of the network', () => {
  let loose: LooseNetwork
  let session: LinkedSession
  let stop: () => Promise<unknown>
  let gateway: Awaited<ReturnType<typeof startOn>>
  const wire: WireEvent[] = []
  before(async () => {
    loose = await startNetwork({ observe: (event) => wire.push(event) })
    const place = everyEngine[0]?.fresh()
    if (!place) throw new Error('no engine')
    gateway = await startOn(loose, place)
    session = await linkPhone(gateway, await loose.phones.create({ name: 'Shop' }))
    stop = () => gateway.stop()
  })
  after(async () => {
    await stop()
    await loose.network.close()
  })
  afterEach(() => loose.network.fault({ Fault: 'clear' }))

  const companion = () =>
    (loose.network.viewAccount(session.phone.account)['Companions'] as { Dirty: string[] }[])[0]
  const stanzas = () => wire.flatMap((event) => (event.kind === 'stanza' ? [event.stanza] : []))
  const cleaned = () =>
    stanzas()
      .filter(({ attrs }) => attrs['xmlns'] === 'urn:xmpp:whatsapp:dirty')
      .flatMap((stanza) => children(stanza).map(({ attrs }) => attrs))

  it('are confirmed where something was dirty, without fetching all groups', async () => {
    await eventually(() => companion()?.Dirty.length === 0, 'nothing is dirty')
    expect(cleaned().map(({ type }) => type)).to.deep.equal(['account_sync', 'groups'])
    for (const { timestamp } of cleaned()) expect(Number(timestamp)).to.be.closeTo(Date.now() / 1000, 60)
    const fetched = stanzas().filter((stanza) => children(stanza).some(({ tag }) => tag === 'participating'))
    expect(fetched).to.deep.equal([])
  })

  it('harm no link, with what waited in between (whatsapp/34)', async () => {
    const ana = await loose.phones.create({ name: 'Ana' })
    const { phone } = session.phone.account
    await session.post('/session/disconnect')
    for (const text of ['one', 'two', 'three']) await ana.send(phone, { Text: text })
    await session.post('/session/connect')
    await session.status({ State: 'open' })
    await messageLogged(gateway, session.headers, 'three')
    loose.network.fault({ Fault: 'expires', Ms: 86_400_000 })
    loose.network.fault({ Fault: 'expires' })
    await ana.send(phone, { Text: 'live' })
    await messageLogged(gateway, session.headers, 'live')
    const { unhandled } = loose.network.view()['Counters'] as { unhandled: object }
    expect(unhandled).to.deep.equal({})
    await session.status({ State: 'open' })
  })
})
