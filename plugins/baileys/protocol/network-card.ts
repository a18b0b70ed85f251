import { gatewayError, reasonOf } from 'wamux/plugin'
/** Where the driver connects. Default is WhatsApp itself. */
export interface Network {
  /** Stored on each session that links there; `whatsapp` is reserved. */
  name: string
  /** WebSocket URL. */
  url: string
  /** `host:port` of its media host; every download and upload goes there. */
  mediaHost: string
  /** PEM of the certificate authority of its media hosts. */
  ca: string
  /** Public key (32 bytes) that signs its Noise certificates. */
  rootKey: Buffer
}

/** Reads what a local network wrote for other processes: its address and whom to trust there. */
export function readCard(text: string): Network {
  try {
    const { name, url, mediaHost, ca, rootKey } = JSON.parse(text) as Record<string, string>
    if (!name || !url || !mediaHost || !ca || !rootKey)
      throw new Error('name, url, mediaHost, ca and rootKey must be there')
    return { name, url, mediaHost, ca, rootKey: Buffer.from(rootKey, 'base64') }
  } catch (cause) {
    throw gatewayError('CONFIG_INVALID', [`the network card is not readable: ${reasonOf(cause)}`], { cause })
  }
}
