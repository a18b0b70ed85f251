import { expect } from 'chai'
import { loadConfig } from '../../config/load.ts'
import { definePlugin } from '../../kernel/plugin.ts'
import type { Sessions } from '../../kernel/types/session.ts'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import type { SimulatedNetwork, Stanza } from '../../plugins/sandbox/types.ts'
import { temporaryFolder } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { type LooseNetwork, phonesOn, startNetwork } from '../support/network.ts'
import { linkPhone, sessionOf } from '../support/sessions.ts'

describe('a message that a phone could not read and asks for hours later', () => {
  const dataDir = temporaryFolder()
  let loose: LooseNetwork
  let gateway: TestGateway
  let sessions: Sessions
  let shop: Phone
  let ana: Phone
  let token: { token: string }
  let isNoisy = false

  const start = async (): Promise<void> => {
    const { plugins } = await loadConfig({ WAMUX_BAILEYS_NETWORK: loose.card })
    const inside = definePlugin({
      name: 'inside',
      version: '1.0.0',
      api: '^1.0.0',
      setup: async (kernel) => {
        sessions = kernel.sessions
      },
    })
    gateway = testGateway({ plugins: [...plugins, { plugin: inside }], dataDir })
    await gateway.start()
  }
  const fault = (Fault: string) => loose.network.fault({ Phone: shop.account.phone, Fault })
  /** Answers the id; the phone has asked for it again, which the gateway doesn't hear yet. */
  const lost = async (Body: string): Promise<string> => {
    const before = ana.failures.length
    fault('holdReceipts')
    isNoisy = true
    const { data } = await gateway.post('/send/text', { Phone: ana.account.phone, Body }, token)
    await eventually(() => ana.failures.length > before, 'unreadable for the phone')
    isNoisy = false
    return data.Id
  }

  before(async () => {
    loose = await startNetwork()
    shop = await loose.phones.create({ name: 'Shop' })
    ana = await phonesOn(overLine(loose.network, () => isNoisy)).create({ name: 'Ana' })
    await start()
    token = (await linkPhone(gateway, shop)).headers
    await gateway.post('/send/text', { Phone: ana.account.phone, Body: 'hello' }, token)
  })
  after(async () => {
    await gateway.stop()
    await loose.network.close()
  })

  it('comes again from the database, as no link keeps it in memory', async () => {
    const id = await lost('five minutes are over')
    const wa = (await sessions.byToken(token.token))?.socket?.wa
    const chat = `${ana.account.phone}@s.whatsapp.net`
    expect(wa?.messageRetryManager?.getRecentMessage(chat, id)).to.equal(undefined)
    fault('releaseReceipts')
    const got = await ana.wait((message) => message.id === id)
    expect(got.raw.extendedTextMessage?.text).to.equal('five minutes are over')
  })

  it('comes again from a gateway that was restarted meanwhile', async () => {
    const id = await lost('the gateway is another one')
    await gateway.stop()
    await start()
    await sessionOf(gateway, token.token, shop).status({ LoggedIn: true })
    fault('releaseReceipts')
    const got = await ana.wait((message) => message.id === id)
    expect(got.raw.extendedTextMessage?.text).to.equal('the gateway is another one')
    expect(ana.messages().filter((message) => message.id === id)).to.have.length(1)
  })
})

/** The network as a phone meets it in bad places: while `isNoisy`, ciphertexts arrive with one bit turned. */
function overLine(network: SimulatedNetwork, isNoisy: () => boolean): SimulatedNetwork {
  return {
    ...network,
    connectPhone: (account, line) =>
      network.connectPhone(account, {
        ...line,
        receive: (stanza) => line.receive(isNoisy() ? garbled(stanza) : stanza),
      }),
  }
}

function garbled(stanza: Stanza): Stanza {
  if (!Array.isArray(stanza.content)) return stanza
  const content = stanza.content.map((child) => {
    if (child.tag !== 'enc' || !((child.content as unknown) instanceof Uint8Array)) return child
    const bytes = Buffer.from(child.content as Buffer)
    // Behind it there may be ids that matter no more once there is a session.
    const inside = bytes.length - 16
    bytes.writeUInt8(bytes.readUInt8(inside) ^ 1, inside)
    return { ...child, content: bytes }
  })
  return { ...stanza, content }
}
