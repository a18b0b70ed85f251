import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { temporaryFolder } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'
import { type GatewayProcess, startProcess } from '../../support/process.ts'
import { whole } from '../../support/run/whole.ts'
import { admin, linkPhone, messageLogged, sessionOf } from '../../support/sessions.ts'
import { type Certificates, canMakeCertificates, makeCertificates, tlsOf } from './certificates.ts'
import type { Access, Reader } from './readers.ts'
import { createSecureServer } from './secure-servers.ts'
import { type BrokerKind, type BrokerServer, isInstalled } from './servers.ts'

export interface SecureBroker {
  readonly name: string
  readonly kind: BrokerKind
  /** Name of the plugin that publishes to it. */
  readonly plugin: string
  /** Settings of that plugin, as environment variables without their prefix. */
  login(port: number, user: string, password: string): Readonly<Record<string, string>>
  /** How the server, or its client, names a login that is refused. */
  readonly refused: RegExp
  readonly reader: (port: number, access: Access) => Promise<Reader>
}

/** With characters that an address has to escape. */
const PASSWORD = 'p@ss:/w%rd#1'
const NEW_PASSWORD = 'another/p@ss'
const WRONG_PASSWORD = 'not-the-one'

/**
 * TLS, client certificates and passwords against the real broker, with a real gateway that is started again with other
 * settings on the same data, as its operator would.
 */
export function testSecurity(broker: SecureBroker): void {
  whole.describe(`events to ${broker.name} over TLS`, function () {
    this.timeout(180_000)
    const dataDir = temporaryFolder()
    const users = { wamux: PASSWORD, reader: 'only reads' }
    let certificates: Certificates
    let server: BrokerServer
    let network: LooseNetwork
    let gateway: GatewayProcess | undefined
    let reader: Reader
    let shop: Phone
    let ana: Phone
    let token = ''

    before(async function () {
      if (!isInstalled(broker.kind) || !canMakeCertificates()) return this.skip()
      certificates = makeCertificates()
      server = await createSecureServer(broker.kind, { certificates, users })
      network = await startNetwork()
      shop = await network.phones.create({ name: 'Shop' })
      ana = await network.phones.create({ name: 'Ana' })
    })
    after(async () => {
      await gateway?.end('SIGTERM')
      await reader?.close()
      await server?.kill()
      await network?.network.close()
    })

    /** Starts the gateway, in place of the one that runs, with the right settings but for those given. */
    async function restart(password: string, other: Readonly<Record<string, string>> = {}): Promise<void> {
      await gateway?.end('SIGTERM')
      const { ca, client } = certificates
      const { PASSWORD: secret = '', ...login } = broker.login(server.port, 'wamux', password)
      const settings = {
        ...login,
        // As container secrets are given.
        ...(secret ? { PASSWORD_FILE: fileOf(secret) } : {}),
        ...{ TLS_CA_FILE: ca.cert, TLS_CERT_FILE: client.cert, TLS_KEY_FILE: client.key },
        TIMEOUT_MS: '2000',
        ...other,
      }
      const prefix = `WAMUX_${broker.plugin.replace('-', '_').toUpperCase()}`
      gateway = await startProcess({
        WAMUX_DATA_DIR: dataDir,
        WAMUX_BAILEYS_NETWORK: network.card,
        WAMUX_PLUGINS: `outputs,${broker.plugin}`,
        ...Object.fromEntries(Object.entries(settings).map(([key, value]) => [`${prefix}_${key}`, value])),
      })
      if (token === '') token = (await linkPhone(gateway, shop)).token
      else await session().status({ LoggedIn: true })
    }
    const running = (): GatewayProcess => {
      if (!gateway) throw new Error('no gateway runs')
      return gateway
    }
    const session = () => sessionOf(running(), token, shop)
    const stateOf = async (): Promise<Record<string, unknown>> =>
      (await running().get('/server/outputs', admin)).data.Outputs[0]
    async function receive(text: string): Promise<void> {
      await ana.send(shop.account.phone, { Text: text })
      await messageLogged(running(), { token }, text)
    }
    /** Waits until the state and the log of the output name that error. */
    async function shows(error: RegExp): Promise<void> {
      await eventually(async () => error.test(String((await stateOf())['Error'])), `error ${error}`, {
        progress: async () => String((await stateOf())['Error']),
      })
      const state = await stateOf()
      expect(state).to.include({ Connected: false, Published: 0 })
      expect(state['Error']).to.include(`127.0.0.1:${server.port} is not connected: `)
      expect(state['Lag']).to.be.greaterThan(0)
      const reasons = running()
        .lines.filter((line) => line.includes('"output not connected"') && error.test(line))
        .map((line) => (JSON.parse(line) as { reason: string }).reason)
      // The ends of a handshake race: a try may name the certificate, or the handshake.
      expect(reasons, 'each reason logged once, not at each try').to.deep.equal([...new Set(reasons)])
      expect(reasons).not.to.deep.equal([])
    }
    async function allRead(): Promise<void> {
      const { data } = await session().get('/events?limit=500')
      const logged = (data.Events as { eventId: string }[]).map(({ eventId }) => eventId)
      let missing = logged
      await eventually(
        async () => {
          const ids = new Set((await reader.read()).map(({ id }) => id))
          missing = logged.filter((id) => !ids.has(id))
          return missing.length === 0
        },
        'everything published',
        { progress: () => missing.length },
      )
    }

    it('names a refused login, also where the broker is started after the gateway', async () => {
      await restart(WRONG_PASSWORD)
      await eventually(async () => (await stateOf())['Error'] !== '', 'no connection shown')
      await server.start()
      const access = { username: 'reader', password: users.reader, tls: tlsOf(certificates) }
      reader = await broker.reader(server.port, access)
      await receive('with a wrong password')
      await shows(broker.refused)
      expect(running().lines.join('\n'), 'no password in the log').not.to.include(WRONG_PASSWORD)
    })

    it('names a certificate that it does not trust', async () => {
      await restart(PASSWORD, { TLS_CA_FILE: certificates.otherCa.cert })
      await receive('with another CA')
      await shows(/certificate/)
    })

    it('names the missing certificate of the client', async () => {
      await restart(PASSWORD, { TLS_CERT_FILE: '', TLS_KEY_FILE: '' })
      await receive('without a certificate')
      await shows(/certificate|handshake/)
    })

    it('publishes with the right settings, also what waited', async () => {
      await restart(PASSWORD)
      await receive('with the right settings')
      await eventually(async () => (await stateOf())['Lag'] === 0, 'no lag', { progress: () => Date.now() })
      expect(await stateOf()).to.include({ Connected: true, Error: '' })
      await allRead()
      const texts = JSON.stringify(await reader.read())
      for (const text of ['a wrong password', 'another CA', 'without a certificate', 'the right settings'])
        expect(texts).to.include(text)
    })

    it('names a password that is no longer right, and connects automatically once it is', async () => {
      await server.kill()
      users.wamux = NEW_PASSWORD
      await server.start()
      await receive('with the former password')
      await eventually(async () => broker.refused.test(String((await stateOf())['Error'])), 'login refused', {
        progress: async () => String((await stateOf())['Error']),
      })
      await server.kill()
      users.wamux = PASSWORD
      await server.start()
      await receive('with the password again')
      await eventually(async () => (await stateOf())['Lag'] === 0, 'no lag', { progress: () => Date.now() })
      await allRead()
    })
  })
}

function fileOf(text: string): string {
  const file = join(temporaryFolder(), 'secret')
  writeFileSync(file, text)
  return file
}
