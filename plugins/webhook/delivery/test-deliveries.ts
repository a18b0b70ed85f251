import { randomBytes } from 'node:crypto'
import { gatewayError, type Kernel, type LogEvent, type NewEvent, type Session } from 'wamux/plugin'
import type { EventSample } from '../contract.ts'
import { type Delivery, newDelivery } from './delivery.ts'

/** Deliveries of events that did not happen. They are in no log, so their `seq` is 0, and their body has `test: true`. */
export interface TestDeliveries {
  /**
   * One to an endpoint. Rejects FIELD_INVALID for an event that no enabled plugin can make.
   *
   * @param name of the event to make; undefined for one of type `Test`.
   */
  make(endpoint: string, session: Session, name?: string): Promise<Delivery>
}

/** The number is one of those reserved for fiction. */
const PERSON = { name: 'Ana', jid: '12025550123@s.whatsapp.net', lid: '120255501230000@lid' }

export function createTestDeliveries({
  contributions,
}: Pick<Kernel<unknown>, 'contributions'>): TestDeliveries {
  function sampleOf(name: string): EventSample {
    const known = new Map(contributions('eventSamples').flatMap(({ value }) => Object.entries(value)))
    const sample = known.get(name)
    if (sample) return sample
    const names = [...known.keys()].join(', ')
    throw gatewayError('FIELD_INVALID', ['Event', `there is no "${name}" to make; there are ${names}`])
  }

  async function eventOf(
    session: Session,
    name: string,
    time: string,
  ): Promise<Pick<NewEvent, 'type' | 'body'>> {
    const id = `3EB0${randomBytes(9).toString('hex').toUpperCase()}`
    const made = await sampleOf(name)({ session, person: PERSON, time, id })
    const [event] = made?.events ?? []
    if (!event) throw new Error(`the sample "${name}" makes no event`)
    return event
  }

  return {
    async make(endpoint, session, name) {
      const time = new Date().toISOString()
      const made = name
        ? await eventOf(session, name, time)
        : { type: 'Test', body: { event: { Details: 'Test event' } } }
      const line: LogEvent = {
        seq: 0,
        id: `evt_test${randomBytes(11).toString('hex')}`,
        session: session.id,
        class: 'All',
        type: made.type,
        lane: session.id,
        time,
        body: { test: true, ...made.body },
      }
      return newDelivery(endpoint, session.jid, line)
    },
  }
}
