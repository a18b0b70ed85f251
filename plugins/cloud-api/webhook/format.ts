import { createHmac } from 'node:crypto'
import type { GatewayContributions, GatewayEvents, GatewayServices, LogEvent } from 'wamux/plugin'
import { SessionSchema, type SessionValues } from '../config.ts'
import type { Bodies } from './bodies.ts'
import { HIDDEN, isSent, isShown } from './events.ts'

/** As endpoints name it. */
export const FORMAT = 'cloud-api'

interface Deps extends Pick<GatewayServices, 'sessionSettings'> {
  bodies: Bodies
}

/** The webhooks of the Cloud API, as a format of the plugin webhook. */
export function cloudFormat({ bodies, sessionSettings }: Deps): GatewayContributions['webhookFormats'] {
  return {
    name: FORMAT,
    title: 'WhatsApp Cloud API',
    edits: ['unsupported', 'native', 'none'],
    async accepts(event, { id }) {
      // Of a session that was just gained they may not be read yet.
      await sessionSettings.ready(id)
      if (!sessionSettings.isOn(id, 'cloud-api')) return false
      const values = sessionSettings.of(id, 'cloud-api', SessionSchema)
      if (event.type === 'Message') return isSent(event) || isShownMessage(event, values)
      if (event.type === 'SendFailed') return isFailed(event)
      if (event.type !== 'ReadReceipt') return false
      const { chat, isFromMe } = event.body['receipt'] as GatewayEvents['ReadReceipt']['receipt']
      return !isFromMe && isShown(chat, values)
    },
    bodiesOf: (event, context) => bodies.of(event, context),
    sign: (body, secret) => ({
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    }),
  }
}

/** An unknown outcome has no status in Graph: a client would send again what WhatsApp may have. */
function isFailed({ body }: LogEvent): boolean {
  return (body['event'] as { Outcome?: string }).Outcome !== 'unknown'
}

function isShownMessage({ body }: LogEvent, values: SessionValues): boolean {
  const { chat, isFromMe, type, vote } = (body as unknown as GatewayEvents['Message']).message
  // A vote that was withdrawn has no options.
  if (HIDDEN.has(type) || (type === 'vote' && !vote?.options.length)) return false
  return isShown(chat, values) && (!isFromMe || values.echoes)
}
