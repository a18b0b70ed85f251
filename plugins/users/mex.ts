import { askMex, type MexQuery, toMexError } from 'wamux/messaging'
import { gatewayError, type Socket } from 'wamux/plugin'

export type Data = Record<string, unknown>

/**
 * Runs a stored query about the account, which always has a result. Rejects NETWORK_FAILED without one, and for a refusal
 * NETWORK_FORBIDDEN, NETWORK_UNKNOWN (404), NETWORK_LIMITED or NETWORK_FAILED.
 *
 * @param verb the action, for error texts.
 */
export async function mex(socket: Socket, query: MexQuery, variables: Data, verb: string): Promise<Data> {
  const answer = await askMex(socket, query, variables, verb)
  if ('refusal' in answer) throw toMexError(answer.refusal, verb)
  if (!answer.result) throw gatewayError('NETWORK_FAILED', [verb, 'the answer has no result'])
  return answer.result as Data
}
