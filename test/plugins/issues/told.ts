import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import type { ReceivedDelivery, Receiver } from '../../support/servers/receiver.ts'

export const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`

/** What the operator's address was told. */
export interface Told {
  readonly State: 'opened' | 'closed'
  readonly Cause: string
  readonly Level: string
  readonly Subject: string
  readonly Reason: string
  readonly Remedy: string
  readonly Request: string
  readonly Screen: string
  readonly Since: string
  readonly Sessions: { Id: string; Name: string }[]
  readonly Count: number
  readonly Nodes: string[]
}

/** The event of a post; throws if its signature is wrong. */
export function told({ body, headers }: ReceivedDelivery): Told {
  const { type, event, eventId } = new Webhook(SECRET).verify(body, headers) as Record<string, unknown>
  expect(type).to.equal('Issue')
  expect(headers['webhook-id']).to.equal(eventId)
  return event as Told
}

/** The states and causes of all posts so far, in their order. */
export const allTold = ({ deliveries }: Receiver): string[] =>
  deliveries.map(told).map(({ State, Cause, Subject }) => [State, Cause, Subject].join(' ').trim())

/** Waits for a post. */
export async function waitTold(receiver: Receiver, state: string, cause: string): Promise<Told> {
  const isMeant = (delivery: ReceivedDelivery): boolean => {
    const { State, Cause } = told(delivery)
    return State === state && Cause === cause
  }
  return told(await receiver.wait(isMeant))
}
