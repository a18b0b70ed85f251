import { gatewayError, reasonOf } from 'wamux/plugin'

/** A network that the driver connects to in place of WhatsApp. */
export interface Network {
  /** Stored on each session that links there; `whatsapp` is reserved. */
  name: string
  /** WebSocket URL. */
  url: string
  /** `host:port` of its media host, for every download and upload. */
  mediaHost: string
  /** PEM of the certificate authority of its media hosts. */
  ca: string
  /** Public key (32 bytes) that signs its Noise certificates. */
  rootKey: Buffer
}

/** Reads the card file of a local network: its addresses and the keys to trust. */
export function readCard(text: string): Network {
  try {
    const { name, url, mediaHost, ca, rootKey } = JSON.parse(text) as Record<string, string>
    if (!name || !url || !mediaHost || !ca || !rootKey)
      throw new Error('name, url, mediaHost, ca and rootKey are required')
    return { name, url, mediaHost, ca, rootKey: Buffer.from(rootKey, 'base64') }
  } catch (cause) {
    throw gatewayError('CONFIG_INVALID', [`the network card is not readable: ${reasonOf(cause)}`], { cause })
  }
}
