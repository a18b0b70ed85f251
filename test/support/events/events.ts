import { startReceiver } from '../servers/receiver.ts'
import type { LinkedSession } from '../sessions.ts'

/** What a webhook was told. */
export interface Told {
  type: string
  state?: string
  // Tests read what they expect; chai says when it is not there.
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is under test
  event: any
}

/** The events of one session, as they arrive at its webhook. */
export interface Events {
  readonly url: string
  readonly all: Told[]
  /** The first of that type, past or coming, that `matches`. */
  wait(type: string, matches?: (event: Told['event']) => boolean): Promise<Told>
  close(): Promise<void>
}

export async function eventsOf(session: LinkedSession): Promise<Events> {
  const receiver = await startReceiver()
  await session.post('/webhook', { WebhookURL: receiver.url })
  return {
    url: receiver.url,
    get all() {
      return receiver.deliveries.map(({ body }) => JSON.parse(body) as Told)
    },
    async wait(type, matches = () => true) {
      const { body } = await receiver.wait(({ body }) => {
        const told = JSON.parse(body) as Told
        return told.type === type && matches(told.event)
      })
      return JSON.parse(body) as Told
    },
    close: receiver.close,
  }
}
