import { expect } from 'chai'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import type { SimulatedNetwork } from '../../plugins/sandbox/types.ts'
import { temporaryFolder } from '../support/databases.ts'
import { type LooseNetwork, phonesOn, startNetwork } from '../support/network.ts'
import { type GatewayProcess, startProcess } from '../support/process.ts'
import { linkPhone, messageLogged, sessionOf } from '../support/sessions.ts'

describe('a gateway that is stopped or killed', () => {
  let loose: LooseNetwork
  let env: Record<string, string>
  let shop: Phone
  let ana: Phone
  let token: { token: string }
  /** How each message to Ana was encrypted: `pkmsg` begins a Signal session, `msg` goes on with one. */
  const encrypted: string[] = []

  before(async () => {
    loose = await startNetwork()
    env = { WAMUX_DATA_DIR: temporaryFolder(), WAMUX_BAILEYS_NETWORK: loose.card }
    shop = await loose.phones.create({ name: 'Shop' })
    ana = await phonesOn(overhear(loose.network, encrypted)).create({ name: 'Ana' })
  })
  after(() => loose.network.close())

  const loggedIn = (gateway: GatewayProcess) =>
    sessionOf(gateway, token.token, shop).status({ LoggedIn: true })
  const bothWays = async (gateway: GatewayProcess, mark: string) => {
    const sent = await gateway.post('/send/text', { Phone: ana.account.phone, Body: `to Ana ${mark}` }, token)
    expect(sent).to.include({ success: true })
    const got = await ana.wait(({ raw }) => raw.extendedTextMessage?.text === `to Ana ${mark}`)
    expect(got.fromMe).to.equal(false)
    await ana.send(shop.account.phone, { Text: `to the shop ${mark}` })
    await messageLogged(gateway, token, `to the shop ${mark}`)
  }

  it('restores the session without a QR code after SIGTERM, and again after SIGKILL', async () => {
    const first = await startProcess(env)
    token = (await linkPhone(first, shop)).headers
    await bothWays(first, 'before')
    expect(await first.end('SIGTERM')).to.equal(0)

    const second = await startProcess(env)
    await loggedIn(second)
    await bothWays(second, 'after SIGTERM')
    expect(await second.end('SIGKILL')).to.equal('SIGKILL')

    const third = await startProcess(env)
    await loggedIn(third)
    await bothWays(third, 'after SIGKILL')
    await third.end('SIGTERM')
    expect(ana.failures).to.deep.equal([])
    expect(loose.network.view()['Counters']).to.include({ pairings: 1 })
    expect(encrypted, 'goes on with the Signal session that there is').to.deep.equal(['pkmsg', 'msg', 'msg'])
  })

  it('is refused a second process on the same SQLite file', async () => {
    const first = await startProcess(env)
    const refusal = await startProcess(env).then(
      async (second) => second.end('SIGKILL').then(() => 'it started'),
      (error: Error) => error.message,
    )
    expect(refusal).to.include('another wamux process already uses')
    await first.end('SIGTERM')
  })
})

function overhear(network: SimulatedNetwork, encrypted: string[]): SimulatedNetwork {
  return {
    ...network,
    connectPhone: (account, line) =>
      network.connectPhone(account, {
        ...line,
        receive(stanza) {
          const parts = Array.isArray(stanza.content) ? stanza.content : []
          for (const { tag, attrs } of parts) if (tag === 'enc') encrypted.push(String(attrs['type']))
          line.receive(stanza)
        },
      }),
  }
}
