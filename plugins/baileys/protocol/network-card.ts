import { gatewayError, reasonOf } from 'wamux/plugin'

/** A network that the driver connects to instead of WhatsApp. */
export interface Network {
  /** Stored with each session linked there; `whatsapp` is reserved. */
  name: string
  /** WebSocket URL. */
  url: string
  /** `host:port` of its media host, for all downloads and uploads. */
  mediaHost: string
  /** PEM of the certificate authority of its media hosts. */
  ca: string
  /** Public key (32 bytes) that verifies its Noise certificates. */
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
