import { TOKEN_MAP } from '@whiskeysockets/baileys/lib/WABinary/constants.js'

/**
 * Mends the dictionary of short forms that stanzas are written with: it is an object that has inherited words, which
 * the encoder takes for entries (WABinary/encode.js writeString). A message with the id `constructor` left without
 * one, and its ack was waited for in vain.
 */
export function mendTokens(): void {
  Object.setPrototypeOf(TOKEN_MAP, null)
}
