/**
 * Takes the inherited words out of the dictionary of short forms that stanzas are written with: the encoder takes them
 * for entries (WABinary/encode.js writeString). A message with the id `constructor` left without one, and its ack was
 * waited for in vain.
 */
export function patchTokens(tokens: object): void {
  Object.setPrototypeOf(tokens, null)
}

export function verifyTokens(tokens: object): boolean {
  return !('constructor' in tokens)
}
