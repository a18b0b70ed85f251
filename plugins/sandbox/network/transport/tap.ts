import type { Feed } from '../../feed.ts'
import type { Stanza } from '../../types.ts'
import type { DeviceLink } from '../directory/accounts.ts'
import type { Peer } from './connection.ts'

/** From the device's view: `up` to the network, `down` from it. */
export type Direction = 'up' | 'down'

/** Publishes every stanza between devices and the network. */
export interface Tap {
  /** @param phone number of the account, '' for an unlinked companion. @param device 0 for the phone. */
  stanza(direction: Direction, phone: string, device: number, stanza: Stanza): void
  /** The same link, observed. `name` is the login's account and device; the number may change its owner. */
  link(link: DeviceLink, name: { readonly phone: string; readonly device: number }): DeviceLink
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

/** Limit of the bytes shown of a content. */
const MAX_BYTES = 120
/** Limit of the nodes shown of a list, for example the devices of a large group. */
const MAX_NODES = 40
const MAX_DEPTH = 12

/**
 * A stanza as JSON: `Tag`, `Attrs`, and one of `Nodes`, `Text` and `Base64`. Long contents are truncated, with their full length
 * in `Bytes` or `Count`.
 */
function viewStanza({ tag, attrs, content }: Stanza, depth = 0): Record<string, unknown> {
  return { Tag: tag, Attrs: attrs, ...viewContent(content, depth) }
}

function viewContent(content: Stanza['content'], depth: number): Record<string, unknown> {
  if (content === undefined) return {}
  if (Array.isArray(content)) {
    const shown = depth < MAX_DEPTH ? content.slice(0, MAX_NODES) : []
    const isWhole = shown.length === content.length
    return {
      Nodes: shown.map((node) => viewStanza(node, depth + 1)),
      ...(isWhole ? {} : { Count: content.length }),
    }
  }
  const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content)
  const head = bytes.subarray(0, MAX_BYTES)
  const text = head.toString('utf8')
  const isText = /^[\t\n\r\x20-\x7e\u00a0-\ufffc]*\ufffd?$/.test(text) && bytes.length > 0
  return { ...(isText ? { Text: text } : { Base64: head.toString('base64') }), Bytes: bytes.length }
}
