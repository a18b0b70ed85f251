import { type GatewayError, isGatewayError } from 'wamux/plugin'

/** The network's error code in a rejection of `session.socket.query`; 0 for any other failure. */
export function networkCodeOf(error: unknown): number {
  const cause = isGatewayError(error) ? (error.cause as { data?: unknown } | undefined) : undefined
  return typeof cause?.data === 'number' ? cause.data : 0
}

/** A lost link, or a limit of the network or of the gateway. */
const PASSING: readonly number[] = [409, 429]

/**
 * Whether the failure of a send is transient, so that another attempt makes sense: the network was not available, did not
 * answer or limited the account, or something in the gateway itself failed.
 */
export function isPassing({ code, status }: Pick<GatewayError, 'code' | 'status'>): boolean {
  return code !== 'SEND_FAILED' && (status >= 500 || PASSING.includes(status))
}
