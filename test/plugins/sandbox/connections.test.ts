import { once } from 'node:events'
import { expect } from 'chai'
import { WebSocket } from 'ws'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { child, children, el } from '../../../plugins/sandbox/stanza.ts'
import { linkRaw, type RawCompanion, stanzaWith } from '../../support/clients/raw-companion.ts'
import { eventually } from '../../support/eventually.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'

describe('connections to the local network', () => {
  let loose: LooseNetwork
  let ana: Phone
  let bob: Phone
  let companion: RawCompanion
  before(async () => {
    loose = await startNetwork()
    ana = await loose.phones.create({ name: 'Ana' })
    bob = await loose.phones.create({ name: 'Bob' })
    companion = await linkRaw(loose, ana)
  })
  // This client asks for nothing of what waited (offline-queue.test.ts does).
  beforeEach(() => {
    loose.network.fault({ Fault: 'pushQueue' })
    // These clients have no tokens.
    loose.network.fault({ Fault: 'lenientTokens' })
    // They write to numbers.
    loose.network.fault({ Fault: 'lenientAddressing' })
  })
  after(() => loose.network.close())

  const counters = () =>
    loose.network.view()['Counters'] as Record<'resumed' | 'fallbacks' | 'logins', number>
  const ping = el('iq', { id: 'ping', xmlns: 'w:p', type: 'get', to: 's.whatsapp.net' }, [el('ping')])
  const active = el('iq', { id: 'active', xmlns: 'passive', type: 'set', to: 's.whatsapp.net' }, [
    el('active'),
  ])

  it('serve a client that is not passive at once, and a passive one when it is active', async () => {
    await bob.send(ana.account.phone, { Text: 'queued' })
    const passive = await companion.logIn({ passive: true })
    passive.send(ping)
    await stanzaWith(passive, 'iq')
    const kinds = passive.stanzas.map((stanza) => children(stanza)[0]?.tag ?? stanza.tag)
    expect(kinds).to.deep.equal(['success', 'edge_routing', 'dirty', 'dirty', 'tos', 'iq'])
    passive.send(active)
    await stanzaWith(passive, 'message')
    await passive.close()
    const connection = await companion.logIn({ passive: false })
    await stanzaWith(connection, 'offline')
    expect(connection.stanzas.map(({ tag }) => tag)).to.include.members(['success', 'message'])
    // It is active already: nothing may be delivered twice.
    connection.send(active)
    await stanzaWith(connection, 'iq')
    expect(connection.stanzas.filter((stanza) => child(stanza, 'offline'))).to.have.length(1)
    await connection.close()
  })

  // Version 6 of Baileys stalls if the first stanza reaches it during the handshake; zapo-js drops its keys if the 515 does.
  it('get their first stanza 40 ms after the handshake, in full or resumed, and may send before', async () => {
    const waited: Record<'full' | 'resumed', number[]> = { full: [], resumed: [] }
    let serverKey: Buffer | undefined
    for (const isResumed of [false, true, false, true]) {
      const resumed = isResumed && serverKey ? { serverKey } : {}
      const connection = await companion.logIn({ early: ping, ...resumed })
      await stanzaWith(connection, 'iq')
      const [first] = connection.stanzas
      expect(first?.tag).to.equal('success')
      if (first) waited[isResumed ? 'resumed' : 'full'].push(connection.waitedMs(first))
      serverKey = connection.serverKey
      await connection.close()
    }
    // A busy client may see the end of the handshake late, and the time between shortened.
    for (const [kind, times] of Object.entries(waited))
      expect(Math.max(...times), `${kind}: ${times.join()}`).to.be.greaterThan(30)
  })

  it('get the request to reconnect 50 ms after they were linked', async () => {
    const again = await Promise.all([linkRaw(loose, ana), linkRaw(loose, bob)])
    const waited = [companion, ...again].map(({ restartedAfterMs }) => restartedAfterMs)
    expect(Math.min(...waited), waited.join()).to.be.greaterThan(40)
  })

  it('are resumed with the key of the server (IK), and made in full when it has a new one (XXfallback)', async () => {
    const first = await companion.logIn()
    await first.close()
    const before = { ...counters() }
    const second = await companion.logIn({ serverKey: first.serverKey })
    await stanzaWith(second, 'success')
    await second.close()
    expect(counters()).to.include({ resumed: before.resumed + 1, fallbacks: before.fallbacks })
    loose.network.fault({ Fault: 'newServerKey' })
    const third = await companion.logIn({ serverKey: first.serverKey })
    await stanzaWith(third, 'success')
    await third.close()
    expect(counters()).to.include({ resumed: before.resumed + 1, fallbacks: before.fallbacks + 1 })
    expect(third.serverKey.equals(first.serverKey)).to.equal(false)
  })

  it('are made in full while the certificate is a forged one, so that clients see it', async () => {
    const first = await companion.logIn()
    await first.close()
    const { resumed } = counters()
    loose.network.fault({ Fault: 'badCertificate' })
    const second = await companion.logIn({ serverKey: first.serverKey })
    await second.close()
    loose.network.fault({ Fault: 'clear' })
    expect(counters().resumed).to.equal(resumed)
  })

  it('are refused with the reason if their dictionary is another one', async () => {
    const socket = new WebSocket(loose.network.url)
    await once(socket, 'open')
    socket.send(Buffer.from([87, 65, 6, 2, 0, 0, 0]))
    const [code, reason] = (await once(socket, 'close')) as [number, Buffer]
    expect(code).to.equal(1002)
    expect(String(reason)).to.equal('dictionary version 2 is not supported, only 3')
  })

  it('deliver a message no more after its retry receipt, but the resent one until its receipt', async () => {
    const connection = await companion.logIn()
    const id = await bob.send(ana.account.phone, { Text: 'once' })
    const received = () =>
      connection.stanzas.filter(({ tag, attrs }) => tag === 'message' && attrs['id'] === id)
    await eventually(() => received().length === 1, 'the message received')
    const { from = '', t } = received()[0]?.attrs ?? {}
    const retry = [el('retry', { count: 1, id, t, v: 1 }), el('registration', {}, Buffer.alloc(4))]
    connection.send(el('receipt', { id, to: from, type: 'retry' }, retry))
    await eventually(() => received().length === 2, 'the message resent')
    connection.send(el('ack', { class: 'message', id, to: from, error: 500 }))
    const waiting = () => (ana.view()['Companions'] as { Waiting: number }[])[0]?.Waiting ?? 0
    connection.send(ping)
    await stanzaWith(connection, 'iq')
    const withResent = waiting()
    connection.send(el('receipt', { id, to: from }))
    await eventually(() => waiting() === withResent - 1, 'the resent message receipted')
    await connection.close()
  })

  it('get a limited number of retry receipts of a phone for one message', async () => {
    const connection = await companion.logIn()
    const enc = el('enc', { v: 2, type: 'msg' }, Buffer.alloc(60, 1))
    const to = el('participants', {}, [el('to', { jid: bob.account.jid }, [enc])])
    const retries = () =>
      connection.stanzas.filter(
        ({ tag, attrs }) => tag === 'receipt' && attrs['type'] === 'retry' && attrs['id'] === 'BAD',
      )
    for (let sent = 1; sent <= 8; sent += 1) {
      const resend = sent === 1 ? {} : { device_fanout: 'false' }
      const content = sent === 1 ? [to] : [enc]
      connection.send(el('message', { id: 'BAD', to: bob.account.jid, type: 'text', ...resend }, content))
      await eventually(
        () => bob.failures.filter((reason) => reason.startsWith('BAD')).length === sent,
        'a failure',
      )
    }
    expect(
      retries().map(({ content }) => Array.isArray(content) && content[0]?.attrs['count']),
    ).to.deep.equal(['1', '2', '3', '4', '5'])
    await connection.close()
  })
})
