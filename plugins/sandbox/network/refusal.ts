export interface Refusal extends Error {
  stanzaCode: number
}

/** An error result with a code of the network: 400, 401, 403, 404, 406, 409, 419, 429 … */
export function refusal(code: number, text: string): Refusal {
  return Object.assign(new Error(text), { stanzaCode: code })
}
