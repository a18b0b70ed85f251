import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  url: T.String({
    default: 'mqtt://127.0.0.1:1883',
    description: 'Address of the broker; mqtts:// for TLS',
  }),
  username: T.String({ default: '', description: 'User name, where the broker wants one' }),
  password: T.String({ default: '', description: 'Its password' }),
  tlsCa: T.String({ default: '', description: 'Certificates to trust, PEM; those of the system when empty' }),
  tlsCert: T.String({ default: '', description: 'Certificate of this client, PEM' }),
  tlsKey: T.String({ default: '', description: 'Its private key, PEM' }),
  protocol: T.Integer({
    default: 5,
    enum: [4, 5],
    description: '5, or 4 for a broker that knows MQTT 3.1.1 alone',
  }),
  clientId: T.String({
    default: '',
    pattern: '^[\\w-]{0,64}$',
    description: 'Client id, unique on the broker; made of the name of the machine when empty',
  }),
  topic: T.String({
    default: 'wamux/{session}/{type}',
    minLength: 1,
    description: 'Topic of each event: {session} is its name, {id} its id, {type} and {class} the event’s',
  }),
  homeAssistant: T.Boolean({
    default: true,
    description: 'Announce each session to Home Assistant: state, connectivity and last message',
  }),
  discoveryPrefix: T.String({
    default: 'homeassistant',
    pattern: '^[^+#\\s]+$',
    description: 'Discovery prefix that is set in Home Assistant',
  }),
  stateTopic: T.String({
    default: 'wamux',
    pattern: '^[^+#\\s]+$',
    description: 'Beginning of the topics for states, availability and last messages',
  }),
  types: T.Array(T.String(), {
    default: [],
    description: 'Event types or classes to publish; all when empty',
  }),
  sessions: T.Array(T.String(), {
    default: [],
    description: 'Names or ids of the sessions to publish; all when empty',
  }),
  window: T.Integer({
    default: 64,
    minimum: 1,
    maximum: 1_000,
    description:
      'Messages that may wait for their confirmation; 1 keeps the order of a session also after an error',
  }),
  timeoutMs: T.Integer({
    default: 5_000,
    minimum: 100,
    description: 'Milliseconds within which the server must confirm a message',
  }),
})

export type MqttConfig = Static<typeof ConfigSchema>
