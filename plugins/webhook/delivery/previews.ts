import { setImmediate } from 'node:timers/promises'
import { createKeyedQueue, type LogEvent, type Session } from 'wamux/plugin'
import type { WebhookConfig } from '../config.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { blank } from '../endpoints/endpoints.ts'
import type { Formats } from '../formats/formats.ts'
import { newDelivery } from './delivery.ts'
import { bodiesOf, headersOf } from './requests.ts'

/** The settings of a webhook that does not exist: what it would receive. */
export type PreviewSettings = Pick<
  Endpoint,
  'format' | 'edits' | 'events' | 'transform' | 'secret' | 'isByKey'
>

export interface Preview {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Makes the requests of deliveries without sending them. */
export interface Previews {
  /**
   * The requests for one event, in order; none if the format has no form for it. Throws FIELD_INVALID for an unknown format.
   */
  of(session: Session, line: LogEvent, settings: PreviewSettings): Promise<Preview[]>
}

export function createPreviews({ config, formats }: { config: WebhookConfig; formats: Formats }): Previews {
  // One at a time in a session: many at once would keep the other sessions waiting for all of them.
  const turns = createKeyedQueue()

  async function previewOf(session: Session, line: LogEvent, settings: PreviewSettings): Promise<Preview[]> {
    const endpoint = { ...blank(session.id), id: 'preview', url: '', ...settings }
    if (!(await formats.accepts(endpoint, line, session))) return []
    const delivery = newDelivery(endpoint.id, session.jid, line)
    const parts = { config, session, endpoint, delivery, ...formats.formOf(endpoint) }
    const bodies = await bodiesOf(parts)
    const made = bodies.map((body, at) => ({ headers: headersOf(parts, body, at), body }))
    await setImmediate()
    return made
  }

  return {
    async of(session, line, settings) {
      formats.check(settings)
      return turns.run(session.id, () => previewOf(session, line, settings))
    },
  }
}
