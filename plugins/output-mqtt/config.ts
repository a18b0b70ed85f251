import type { OutputConfig } from 'wamux/outputs'
import { T } from 'wamux/plugin'

export const config = {
  url: T.String({
    default: 'mqtt://127.0.0.1:1883',
    description: 'Address of the broker; mqtts:// for TLS',
  }),
  username: T.String({ default: '', description: 'User name, if the broker requires one' }),
  password: T.String({ default: '', description: 'Its password' }),
  protocol: T.Integer({
    default: 5,
    enum: [4, 5],
    description: '5, or 4 for a broker that supports only MQTT 3.1.1',
  }),
  clientId: T.String({
    default: '',
    pattern: '^[\\w-]{0,64}$',
    description: "Client id, unique on the broker; derived from the machine's name when empty",
  }),
  topic: T.String({
    default: 'wamux/{session}/{type}',
    minLength: 1,
    description:
      'Topic of each event: {session} is the name of the session, {id} its id, {type} and {class} are the type and class of the event',
  }),
  homeAssistant: T.Boolean({
    default: true,
    description: 'Announce each session to Home Assistant: state, connectivity and last message',
  }),
  discoveryPrefix: T.String({
    default: 'homeassistant',
    pattern: '^[^+#\\s]+$',
    description: 'Discovery prefix configured in Home Assistant',
  }),
  stateTopic: T.String({
    default: 'wamux',
    pattern: '^[^+#\\s]+$',
    description: 'Prefix of the topics for states, availability and last messages',
  }),
}

export type MqttConfig = OutputConfig<typeof config>
