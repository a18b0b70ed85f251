import mqtt from '../../../plugins/output-mqtt/index.ts'
import { testOutput } from '../outputs/broker-suite.ts'
import { readMqtt } from '../outputs/readers.ts'

testOutput({
  name: 'MQTT',
  kind: 'mosquitto',
  plugin: mqtt,
  url: (port) => `mqtt://127.0.0.1:${port}`,
  settings: { clientId: 'gateway' },
  reader: readMqtt,
  address: (type) => `wamux/Shop/${type}`,
  isLimited: true,
})
