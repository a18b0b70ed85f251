import type { Feed } from '../../feed.ts'
import { viewStanza } from '../../stanza-view.ts'
import type { Stanza } from '../../types.ts'
import type { Link } from '../directory/accounts.ts'
import type { Peer } from './connection.ts'

/** From the device's view: `up` to the network, `down` from it. */
export type Direction = 'up' | 'down'

/** Publishes every stanza between devices and the network. */
export interface Tap {
  /** @param phone number of the account, '' for an unlinked companion. @param device 0 for the phone. */
  stanza(direction: Direction, phone: string, device: number, stanza: Stanza): void
  /** The same link, observed. `name` is the login's account and device; the number may change its owner. */
  link(link: Link, name: { readonly phone: string; readonly device: number }): Link
  /** The same client, observed: its stanzas, and its connecting and disconnecting. */
  peer(peer: Peer, name: { phone: string; device: number }): Peer
}

export function createTap(feed: Feed): Tap {
  const tap: Tap = {
    stanza(direction, phone, device, stanza) {
      feed.publish('stanza', phone, () => ({
        Direction: direction,
        Device: device,
        Stanza: viewStanza(stanza),
      }))
    },
    link: (link, name) => ({
      send(stanza) {
        tap.stanza('down', name.phone, name.device, stanza)
        link.send(stanza)
      },
      close(...last) {
        for (const stanza of last) tap.stanza('down', name.phone, name.device, stanza)
        link.close(...last)
      },
    }),
    peer(peer, { phone, device }) {
      if (phone) feed.publish('phone', phone)
      return {
        ...peer,
        receive(stanza) {
          tap.stanza('up', phone, device, stanza)
          peer.receive(stanza)
        },
        closed() {
          peer.closed()
          if (phone) feed.publish('phone', phone)
        },
      }
    },
  }
  return tap
}
