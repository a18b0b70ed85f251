import { expect } from 'chai'
import nats from '../../../plugins/output-nats/index.ts'
import outputs from '../../../plugins/outputs/index.ts'
import { eventually } from '../../support/eventually.ts'
import { admin, startWorld, type World } from '../../support/world.ts'
import { type BrokerServer, createServer, isInstalled } from '../outputs/servers.ts'

describe('a NATS server without TLS at an address with tls://', () => {
  let server: BrokerServer
  let world: World
  before(async function () {
    if (!isInstalled('nats')) return this.skip()
    server = await createServer('nats')
    await server.start()
    const settings = {
      url: `tls://127.0.0.1:${server.port}`,
      username: 'shop',
      password: 'not for everybody',
    }
    world = await startWorld({ extra: [outputs, nats], config: { 'output-nats': settings } })
  })
  after(async () => {
    await world?.stop()
    await server?.kill()
  })

  it('is sent nothing, and the reason is shown', async () => {
    const stateOf = async () => (await world.gateway.get('/server/outputs', admin)).data.Outputs[0]
    const { Error: error } = await eventually(async () => {
      const state = await stateOf()
      return state.Connected || state.Error.includes('tls') ? state : undefined
    }, 'connected or refused')
    expect(error).to.equal(`127.0.0.1:${server.port} is not connected: server does not support 'tls'`)
  })
})
