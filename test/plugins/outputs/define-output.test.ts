import { expect } from 'chai'
import { defineOutput, type OutputMessage } from 'wamux/outputs'
import { type Plugin, T } from 'wamux/plugin'
import outputs, { type OutputConnection } from '../../../plugins/outputs/index.ts'
import { eventually } from '../../support/eventually.ts'
import { admin, openShop, startWorld, type World } from '../../support/world.ts'

/** A third party's output; the test holds its connection. */
function acme(start: (connection: OutputConnection) => Promise<void> = async () => undefined) {
  const got: OutputMessage[] = []
  let connection: OutputConnection | undefined
  const plugin = defineOutput({
    name: 'output-acme',
    version: '1.0.0',
    api: '^1.0.0',
    config: {
      url: T.String({ default: 'acme://user:secret@one:7000, two:7001' }),
      queue: T.String({ default: '{session}.{type}' }),
    },
    pattern: 'queue',
    tlsSchemes: ['acmes'],
    create: (_, state) => {
      connection = state
      return {
        start: () => start(state),
        stop: async () => undefined,
        publish: async (message) => void got.push(message),
      }
    },
  })
  return { plugin, got, connection: (): OutputConnection => connection as OutputConnection }
}

describe('defineOutput', () => {
  const { plugin, got, connection } = acme()
  let world: World
  let shop: Awaited<ReturnType<typeof openShop>>
  before(async () => {
    const config = { 'output-acme': { types: ['Message'], window: 1 } }
    shop = await openShop({ extra: [outputs, plugin], config })
    world = shop.world
  })
  after(() => world.stop())
  const stateOf = async () => (await world.gateway.get('/server/outputs', admin)).data.Outputs[0]
  const say = (text: string) => shop.ana.send(shop.session.phone.account.phone, { Text: text })

  it('keeps events until the connection is reported, and publishes them under the pattern that the setting holds', async () => {
    expect(await stateOf()).to.include({ Name: 'output-acme', Broker: 'one:7000,two:7001', Connected: false })
    await say('before')
    await eventually(async () => (await stateOf()).Failed > 0, 'tried')
    expect(got).to.deep.equal([])
    connection().connected()
    await eventually(() => got.length > 0, 'published')
    expect(got[0]).to.include({ address: 'Shop.Message', type: 'Message' })
  })

  it('says why nothing is published: what was lost, and what is blocked', async () => {
    connection().lost(new Error('cable'))
    expect((await stateOf()).Error).to.equal('one:7000,two:7001 is not connected: cable')
    connection().lost()
    expect((await stateOf()).Error).to.include('cable')
    connection().connected()
    connection().blocked('disk full')
    expect(await stateOf()).to.include({ Connected: false })
    expect((await stateOf()).Error).to.include('accepts no messages: disk full')
    connection().unblocked()
    expect(await stateOf()).to.include({ Connected: true })
  })

  const failureOf = (extra: Plugin, config: Record<string, unknown>): Promise<string> =>
    startWorld({ extra: [outputs, extra], config: { 'output-acme': config } }).then(
      async (started) => {
        await started.stop()
        return 'it started'
      },
      (error: Error) => error.message,
    )

  it('prevents the start with certificates and an address without TLS', async () => {
    const failure = await failureOf(acme().plugin, { url: 'acme://one', tlsCa: 'PEM' })
    expect(failure).to.include('output-acme.url must begin with acmes:// where certificates are set')
    expect(await failureOf(acme().plugin, { url: 'acmes://one', tlsCa: 'PEM' })).to.equal('it started')
  })
})
