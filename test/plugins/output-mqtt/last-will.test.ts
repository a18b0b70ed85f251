import { expect } from 'chai'
import { temporaryFolder } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'
import { type GatewayProcess, startProcess } from '../../support/process.ts'
import { linkPhone } from '../../support/sessions.ts'
import { type MqttReader, readMqtt } from '../outputs/readers.ts'
import { type BrokerServer, createServer, isInstalled } from '../outputs/servers.ts'

describe('a gateway that is killed while it is shown in Home Assistant', () => {
  let server: BrokerServer
  let network: LooseNetwork
  let reader: MqttReader
  let gateway: GatewayProcess | undefined
  let env: Record<string, string>
  before(async function () {
    if (!isInstalled('mosquitto')) return this.skip()
    server = await createServer('mosquitto')
    await server.start()
    network = await startNetwork()
    reader = await readMqtt(server.port)
    env = {
      WAMUX_DATA_DIR: temporaryFolder(),
      WAMUX_BAILEYS_NETWORK: network.card,
      WAMUX_PLUGINS: 'outputs,output-mqtt',
      WAMUX_OUTPUT_MQTT_URL: `mqtt://127.0.0.1:${server.port}`,
      WAMUX_OUTPUT_MQTT_CLIENT_ID: 'killed',
    }
  })
  after(async () => {
    await gateway?.end('SIGTERM')
    await reader?.close()
    await network?.network.close()
    await server?.kill()
  })

  it('is offline by its last will, also for later subscribers, and online once it runs again', async () => {
    const { topics } = reader
    gateway = await startProcess(env)
    await linkPhone(gateway, await network.phones.create({ name: 'Shop' }))
    const device = await eventually(
      () => [...topics].find(([topic]) => /^homeassistant\/device\/.*\/config$/.test(topic))?.[1],
      'device announced',
    )
    const { availability_topic: availability } = JSON.parse(device)
    expect(availability).to.equal('wamux/availability/killed')
    await eventually(() => topics.get(availability) === 'online', 'online')

    expect(await gateway.end('SIGKILL')).to.equal('SIGKILL')
    await eventually(() => topics.get(availability) === 'offline', 'offline')
    const later = await readMqtt(server.port, { clientId: 'later' })
    await eventually(() => later.topics.get(availability) === 'offline', 'offline is retained')
    await later.close()

    gateway = await startProcess(env)
    await eventually(() => topics.get(availability) === 'online', 'online again')
  })
})
