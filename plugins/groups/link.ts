import type { BinaryNode } from '@whiskeysockets/baileys'
import { child, children } from 'wamux/messaging'
import type { LiveSession } from 'wamux/plugin'
import { queryGroup } from './query.ts'

const SUB_GROUP = 'sub_group'

/** Links groups to a community. */
export async function linkGroups(session: LiveSession, community: string, groups: readonly string[]) {
  const link = { tag: 'link', attrs: { link_type: SUB_GROUP }, content: groups.map(named) }
  const request = { tag: 'links', attrs: {}, content: [link] }
  const reply = await queryGroup(session, 'set', request, 'link the groups', community)
  return groupResults(groups, child(child(reply, 'links'), 'link'))
}

/** Unlinks groups from a community. */
export async function unlinkGroups(session: LiveSession, community: string, groups: readonly string[]) {
  const request = { tag: 'unlink', attrs: { unlink_type: SUB_GROUP }, content: groups.map(named) }
  const reply = await queryGroup(session, 'set', request, 'unlink the groups', community)
  return groupResults(groups, child(reply, 'unlink'))
}

function named(jid: string): BinaryNode {
  return { tag: 'group', attrs: { jid } }
}

/** The network may refuse single groups of an accepted request, which Baileys ignores (Socket/communities.js). */
function groupResults(groups: readonly string[], results: BinaryNode | undefined) {
  const codes = new Map(
    children(results, 'group').map(({ attrs }) => [attrs['jid'], Number(attrs['error'] ?? 0)]),
  )
  const errors = groups.map((JID) => ({ JID, Error: codes.get(JID) ?? 0 }))
  const jids = (isFailed: boolean): string[] =>
    errors.filter(({ Error: code }) => (code !== 0) === isFailed).map(({ JID }) => JID)
  return { success: jids(false), failed: jids(true), Groups: errors }
}
