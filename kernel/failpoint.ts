import { channel } from 'node:diagnostics_channel'

const failpoints = channel('wamux:failpoint')

/**
 * A named point between two steps, published on the diagnostics channel `wamux:failpoint`: tests subscribe to it and end the
 * process there. Does nothing without a subscriber.
 */
export function failpoint(name: string): void {
  failpoints.publish(name)
}
