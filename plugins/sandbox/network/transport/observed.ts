import type { Stanza } from '../../types.ts'
import type { Peer } from './connection.ts'

/** An event of a logged-in link; links are numbered. */
export type WireEvent =
  | { kind: 'open'; link: number; device: string }
  | { kind: 'closed'; link: number; device: string }
  | { kind: 'stanza'; link: number; device: string; stanza: Stanza }

export type Observe = (event: WireEvent) => void

let links = 0

/** The same client, with its events reported to `observe`. */
export function observed(peer: Peer, observe: Observe): Peer {
  const { device } = peer
  if (device === undefined) return peer
  links += 1
  const link = links
  observe({ kind: 'open', link, device })
  return {
    device,
    receive(stanza) {
      observe({ kind: 'stanza', link, device, stanza })
      peer.receive(stanza)
    },
    closed() {
      observe({ kind: 'closed', link, device })
      peer.closed()
    },
  }
}
