import { createHmac } from 'node:crypto'
import type { GatewayContributions, GatewayEvents, GatewayServices, LogEvent } from 'wamux/plugin'
import { SessionSchema, type SessionValues } from '../config.ts'
import type { Bodies } from './bodies.ts'
import { HIDDEN, isSent, isShown } from './events.ts'

/** The name in endpoints. */
export const FORMAT = 'cloud-api'

interface Deps extends Pick<GatewayServices, 'sessionSettings'> {
  bodies: Bodies
}

/** Cloud API webhooks, as a format of the plugin webhook. */
export function cloudFormat({ bodies, sessionSettings }: Deps): GatewayContributions['webhookFormats'] {
  return {
    name: FORMAT,
    title: 'WhatsApp Cloud API',
    edits: ['unsupported', 'native', 'none'],
    async accepts(event, { id }) {
      // For a newly gained session they may not have been read yet.
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

/** Graph has no status for an unknown outcome: a client would resend a message that WhatsApp may have. */
function isFailed({ body }: LogEvent): boolean {
  return (body['event'] as { Outcome?: string }).Outcome !== 'unknown'
}

function isShownMessage({ body }: LogEvent, values: SessionValues): boolean {
  const { chat, isFromMe, type, vote, refused } = (body as unknown as GatewayEvents['Message']).message
  // A withdrawn vote has no options.
  if (refused || HIDDEN.has(type) || (type === 'vote' && !vote?.options.length)) return false
  return isShown(chat, values) && (!isFromMe || values.echoes)
}
