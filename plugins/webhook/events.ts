import { type EventDeclaration, type Recording, type Signal, T } from 'wamux/plugin'

declare module 'wamux/plugin' {
  interface GatewaySignals {
    /** A webhook was disabled: its receiver failed for days, or answered 410. */
    'webhook.disabled': { endpoint: string; url: string; reason: string }
  }
  interface GatewayEvents {
    WebhookDisabled: { event: { Endpoint: string; URL: string; Reason: string } }
  }
}

/** Reaches clients through the other webhooks of the session and the event stream. */
export const events = {
  WebhookDisabled: {
    class: 'All',
    summary: 'A webhook was disabled because it failed for days or answered 410',
    schema: T.Object({ Endpoint: T.String(), URL: T.String(), Reason: T.String() }),
  },
} satisfies Record<string, EventDeclaration>

export const translate = {
  'webhook.disabled': ({ data }: Signal<'webhook.disabled'>): Recording => {
    const event = { Endpoint: data.endpoint, URL: data.url, Reason: data.reason }
    return { events: [{ type: 'WebhookDisabled', body: { event } }] }
  },
}
