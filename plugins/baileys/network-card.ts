import { gatewayError, reasonOf } from 'wamux/plugin'
import type { Network } from './network.ts'

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
