export interface Refusal extends Error {
  stanzaCode: number
  /** Seconds after which the query may be repeated. */
  backoff?: number | undefined
}

/** An error result with a status code of the network: 400, 401, 403, 404, 406, 409, 419, 429 … */
export function refusal(code: number, text: string, backoff?: number): Refusal {
  return Object.assign(new Error(text), { stanzaCode: code, backoff })
}
