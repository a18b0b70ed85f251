import { readMqtt } from '../outputs/readers.ts'
import { testSecurity } from '../outputs/secure-suite.ts'

testSecurity({
  name: 'MQTT',
  kind: 'mosquitto',
  plugin: 'output-mqtt',
  login: (port, user, password) => ({
    URL: `mqtts://127.0.0.1:${port}`,
    USERNAME: user,
    PASSWORD: password,
  }),
  refused: /Not authorized|Bad User Name or Password/i,
  reader: readMqtt,
})
