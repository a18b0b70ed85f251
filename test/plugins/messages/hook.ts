import { startReceiver } from '../../support/servers/receiver.ts'
import type { LinkedSession } from '../../support/world.ts'

/** A delivered body. */
// Tests read what they expect; chai says when it is not there.
// biome-ignore lint/suspicious/noExplicitAny: the shape is what is under test
export type Body = any

/** What a session's webhook gets. */
export interface Hook {
  readonly all: Body[]
  /** The first body of that type, past or coming, whose event `matches`. */
  wait(type: string, matches?: (event: Body) => boolean): Promise<Body>
  /** The Message of that id. */
  message(id: string): Promise<Body>
  close(): Promise<void>
}

export async function hookOf(session: LinkedSession): Promise<Hook> {
  const receiver = await startReceiver()
  await session.post('/webhook', { WebhookURL: receiver.url, Subscribe: ['All'] })
  async function wait(type: string, matches: (event: Body) => boolean = () => true): Promise<Body> {
    const { body } = await receiver.wait(({ body }) => {
      const told = JSON.parse(body) as Body
      return told.type === type && matches(told.event as Body)
    })
    return JSON.parse(body) as Body
  }
  return {
    get all() {
      return receiver.deliveries.map(({ body }) => JSON.parse(body) as Body)
    },
    wait,
    message: (id) => wait('Message', ({ Info }) => Info.ID === id),
    close: receiver.close,
  }
}
