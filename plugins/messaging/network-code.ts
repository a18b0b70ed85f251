import { isGatewayError } from 'wamux/plugin'

/** The network's error code in a rejection of `session.socket.query`; 0 for any other failure. */
export function networkCodeOf(error: unknown): number {
  const cause = isGatewayError(error) ? (error.cause as { data?: unknown } | undefined) : undefined
  return typeof cause?.data === 'number' ? cause.data : 0
}
