/** First byte of each value in a binary stanza. Bytes below `dictionary` are one-byte words. */
export const TAGS = {
  empty: 0,
  /** The first of four dictionaries; the second byte selects the word. */
  dictionary: 236,
  interopJid: 245,
  messengerJid: 246,
  deviceJid: 247,
  list8: 248,
  list16: 249,
  jidPair: 250,
  hex8: 251,
  binary8: 252,
  binary20: 253,
  binary32: 254,
  nibble8: 255,
} as const

/** Servers of JIDs with a device, by number; the last two are those of hosted devices (WM types/jid.go). */
export const DOMAINS: ReadonlyMap<number, string> = new Map([
  [0, 's.whatsapp.net'],
  [1, 'lid'],
  [128, 'hosted'],
  [129, 'hosted.lid'],
])

/** The words of stanzas: those of one byte, and those of each dictionary. */
export interface Tokens {
  readonly single: readonly string[]
  readonly double: readonly (readonly string[])[]
}
