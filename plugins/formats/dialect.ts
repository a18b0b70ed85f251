import type { GatewayContributions, GatewayEvents, LogEvent } from 'wamux/plugin'

export type WebhookFormat = Exclude<GatewayContributions['webhookFormats'], readonly unknown[]>
type FormatContext = Parameters<WebhookFormat['bodiesOf']>[1]

/** An event in the terms of another gateway. */
export interface Named {
  /** Its name there. */
  readonly event: string
  readonly data: unknown
  /** Sent only to endpoints that chose the name: the same data is sent under another one. */
  readonly isExtra?: boolean
}

/** Input for an event besides its body. */
export interface About extends FormatContext {
  readonly line: LogEvent
}

/** What each type of event becomes, in order; a type that is absent is not delivered. */
export type Readers = {
  readonly [T in keyof GatewayEvents]?: (
    body: GatewayEvents[T],
    about: About,
  ) => readonly Named[] | Promise<readonly Named[]>
}

interface Dialect
  extends Pick<WebhookFormat, 'name' | 'headers' | 'sign' | 'includesToken' | 'edits'>,
    Required<Pick<WebhookFormat, 'title' | 'events'>> {
  readonly readers: Readers
  /**
   * The body with one event.
   *
   * @param at its index among the bodies.
   */
  bodyOf(named: Named, about: About, at: number): string
}

/** The webhooks of another gateway, as a format of the plugin webhook: a request for each event of theirs. */
export function toFormat({ readers, bodyOf, ...format }: Dialect): WebhookFormat {
  const types = new Map(Object.entries(readers))
  return {
    ...format,
    accepts: ({ type }) => types.has(type) || type === 'Test',
    async bodiesOf(line, context) {
      const about = { ...context, line }
      // It shows the address, the signature and the envelope.
      if (line.type === 'Test') return bodyOf({ event: 'test', data: {} }, about, 0)
      const read = types.get(line.type) as ((body: unknown, about: About) => Promise<Named[]>) | undefined
      const all = (await read?.(line.body, about)) ?? []
      return all
        .filter(({ event, isExtra }) => (context.events ? context.events.has(event) : !isExtra))
        .map((named, at) => bodyOf(named, about, at))
    },
  }
}
