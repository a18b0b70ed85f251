import type { BinaryNode } from '@whiskeysockets/baileys'
import { child } from 'wamux/messaging'
import type { Receive, Stage } from './stage.ts'

const DIRTY = 'CB:ib,,dirty'

export interface DirtyBitsParts {
  query(node: BinaryNode): Promise<unknown>
  /** Groups of the session have changed; the network does not say which. */
  onGroupsChanged(): void
}

/**
 * Handles the network's notices of outdated data. For these, Baileys fetches all groups, whose events nothing reads, with
 * three handlers whose failure is an unhandled rejection, for example if the link ends in the meantime (Socket/groups.js,
 * communities.js, chats.js). It confirms `account_sync` only with the next login.
 */
export function cleanDirtyBits({ query, onGroupsChanged }: DirtyBitsParts): Stage<Receive> {
  function clean({ type = '', timestamp }: Record<string, string>): void {
    const attrs = { to: 's.whatsapp.net', type: 'set', xmlns: 'urn:xmpp:whatsapp:dirty' }
    const content = [{ tag: 'clean', attrs: timestamp ? { type, timestamp } : { type } }]
    // Fails on a closing link; the network repeats the notice.
    query({ tag: 'iq', attrs, content }).catch(() => undefined)
  }

  return (next) =>
    (event, ...args) => {
      if (event !== DIRTY) return next(event, ...args)
      const { attrs = {} } = child(args[0] as BinaryNode, 'dirty') ?? {}
      if (attrs['type'] === 'groups' || attrs['type'] === 'communities') onGroupsChanged()
      clean(attrs)
      return true
    }
}
