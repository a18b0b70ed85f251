/**
 * Removes the inherited properties of the token dictionary of stanzas, which the encoder takes for tokens
 * (WABinary/encode.js writeString): a message with the id `constructor` was sent without an id, and its ack never came.
 */
export function patchTokens(tokens: object): void {
  Object.setPrototypeOf(tokens, null)
}

export function verifyTokens(tokens: object): boolean {
  return !('constructor' in tokens)
}
