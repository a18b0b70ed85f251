import type { GatewayContributions, Kernel, Ownership, Session } from 'wamux/plugin'
import type { MqttConfig } from './config.ts'

type Message = Parameters<GatewayContributions['outputs']['publish']>[0]

/**
 * Sessions as devices of Home Assistant, through its MQTT discovery (one message per device, since 2024.11):
 * https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload
 */
export interface HomeAssistant {
  /** Announces every session that this process serves, with its state, and removes devices of sessions that are gone. */
  announce(): Promise<void>
  /** As `announce`, for one session. */
  update(session: string): Promise<void>
  /** Removes the devices of deleted sessions, whose deletion raises no state change. */
  tidy(): Promise<void>
  /** Handles a device message that the broker retains: removes the device if its session is gone. */
  found(topic: string, payload: Buffer): Promise<void>
  /** Publishes a message as the last one; events of other types are ignored. */
  show(message: Message): Promise<void>
}

interface Parts extends Pick<Kernel<MqttConfig>, 'config' | 'sessions' | 'settings'> {
  ownership: Ownership
  /** Topic with the availability of this process, `online` or `offline`. */
  availability: string
  publish(topic: string, payload: string, isRetained: boolean): Promise<void>
}

/** The longest state that Home Assistant accepts. */
const MAX_STATE = 255
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  imageMessage: 'image',
  videoMessage: 'video',
  audioMessage: 'audio',
  documentMessage: 'document',
  stickerMessage: 'sticker',
  locationMessage: 'location',
  contactMessage: 'contact',
}

export function createHomeAssistant(parts: Parts): HomeAssistant {
  const { config, sessions, settings, ownership, availability, publish } = parts
  const { discoveryPrefix, stateTopic } = config
  const deviceTopic = (id: string): string => `${discoveryPrefix}/device/wamux_${id}/config`
  const stateOf = (id: string): string => `${stateTopic}/state/${id}`
  const lastOf = (id: string): string => `${stateTopic}/last-message/${id}`

  const announced = new Set<string>()

  async function remove(id: string): Promise<void> {
    for (const topic of [deviceTopic(id), stateOf(id)]) await publish(topic, '', true)
    announced.delete(id)
  }

  async function update(session: Session): Promise<void> {
    const { id, name, connected, loggedIn, reason, jid } = session
    const isWanted = config.sessions.length === 0 || [id, name].some((one) => config.sessions.includes(one))
    if (!isWanted || !ownership.owns(id)) return
    announced.add(id)
    await publish(deviceTopic(id), JSON.stringify(deviceOf(session)), true)
    const state = { state: session.state, connected, loggedIn, reason, jid }
    await publish(stateOf(id), JSON.stringify(state), true)
  }

  function deviceOf({ id, name }: Session) {
    const entity = (key: string, platform: string, fields: object) => ({
      [key]: { platform, unique_id: `wamux_${id}_${key}`, ...fields },
    })
    return {
      device: {
        identifiers: [`wamux_${id}`],
        name: name || id,
        manufacturer: 'wamux',
        model: 'WhatsApp session',
        sw_version: settings.version,
      },
      origin: { name: 'wamux', sw_version: settings.version },
      availability_topic: availability,
      components: {
        ...entity('state', 'sensor', {
          name: 'State',
          state_topic: stateOf(id),
          value_template: '{{ value_json.state }}',
          json_attributes_topic: stateOf(id),
          entity_category: 'diagnostic',
        }),
        ...entity('connected', 'binary_sensor', {
          name: 'Connected',
          device_class: 'connectivity',
          state_topic: stateOf(id),
          value_template: "{{ 'ON' if value_json.loggedIn else 'OFF' }}",
        }),
        ...entity('last_message', 'sensor', {
          name: 'Last message',
          icon: 'mdi:message-text',
          state_topic: lastOf(id),
          value_template: '{{ value_json.text }}',
          json_attributes_topic: lastOf(id),
        }),
      },
    }
  }

  return {
    async announce() {
      for (const session of await sessions.list()) await update(session)
    },
    async update(id) {
      const session = await sessions.byId(id)
      return session ? update(session) : remove(id)
    },
    async tidy() {
      const known = new Set((await sessions.list()).map(({ id }) => id))
      for (const id of announced) if (!known.has(id)) await remove(id)
    },
    async found(topic, payload) {
      const [, id] = /\/wamux_([^/]+)\/config$/.exec(topic) ?? []
      // A device with other topics belongs to another gateway on this broker.
      if (!id || !payload.includes(`"${stateOf(id)}"`) || (await sessions.byId(id))) return
      await remove(id)
    },
    async show({ type, session, body }) {
      if (type !== 'Message') return
      await publish(lastOf(session), JSON.stringify(lastMessage(body)), false)
    },
  }
}

function lastMessage(body: string) {
  const { event = {} } = JSON.parse(body) as { event?: { Info?: Info; Message?: Record<string, unknown> } }
  const { Info: info = {}, Message: message = {} } = event
  return {
    text: textOf(message).slice(0, MAX_STATE),
    chat: info.Chat ?? '',
    sender: info.Sender ?? '',
    name: info.PushName ?? '',
    id: info.ID ?? '',
    time: info.Timestamp ?? '',
    isFromMe: info.IsFromMe ?? false,
    isGroup: info.IsGroup ?? false,
  }
}

interface Info {
  readonly ID?: string
  readonly Chat?: string
  readonly Sender?: string
  readonly PushName?: string
  readonly Timestamp?: string
  readonly IsFromMe?: boolean
  readonly IsGroup?: boolean
}

function textOf(message: Readonly<Record<string, unknown>>): string {
  if (typeof message['conversation'] === 'string') return message['conversation']
  for (const [kind, value] of Object.entries(message)) {
    const { text, caption } = (value ?? {}) as { text?: unknown; caption?: unknown }
    if (typeof text === 'string') return text
    if (kind in PLACEHOLDERS)
      return typeof caption === 'string' && caption ? caption : `[${PLACEHOLDERS[kind]}]`
  }
  return '[message]'
}
