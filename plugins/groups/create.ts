import { randomBytes } from 'node:crypto'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { child } from 'wamux/messaging'
import { gatewayError, type LiveSession } from 'wamux/plugin'
import { isMe, readGroup } from './groups.ts'
import { groupOf } from './info.ts'
import { newMembers } from './new-members.ts'
import { queryGroup } from './query.ts'
import type { GroupInfo } from './schemas.ts'
import { rename } from './update.ts'

const PLACEHOLDER = 'New group'

/** Creates a group; every requested participant is in `added` or `failed` of the result. */
export async function createGroup(session: LiveSession, name: string, people: readonly string[]) {
  const participants = await newMembers(session, people, 'newGroup')
  const group = await create(session, name, participants, 'create the group')
  const named = group.Participants.filter((participant) => !isMe(session, participant))
  const names = (isFailed: boolean): string[] =>
    named
      .filter(({ Error: code }) => (code !== 0) === isFailed)
      .map(({ PhoneNumber, JID }) => PhoneNumber || JID)
  const { JID } = group
  const owner = group.OwnerPN || group.OwnerJID
  return { jid: JID, JID, name, owner, added: names(false), failed: names(true), Participants: named }
}

export async function createCommunity(session: LiveSession, name: string): Promise<GroupInfo> {
  const parent = { tag: 'parent', attrs: { default_membership_approval_mode: 'request_required' } }
  const { JID } = await create(session, name, [parent], 'create the community')
  return readGroup(session, JID)
}

/**
 * The name is an attribute of the request. Baileys' encoder treats every attribute with an `@` as a JID, and names of
 * inherited object properties as words of its dictionary (WABinary/encode.js writeString): `Team: a@b` arrives as `Team@b`.
 * Such a name is set as content, which is sent unchanged, after the group was created.
 */
async function create(
  session: LiveSession,
  name: string,
  content: BinaryNode[],
  verb: string,
): Promise<GroupInfo> {
  const isPlain = !name.includes('@') && !(name in {})
  const key = randomBytes(10).toString('hex').toUpperCase()
  const attrs = { subject: isPlain ? name : PLACEHOLDER, key }
  const reply = await queryGroup(session, 'set', { tag: 'create', attrs, content }, verb)
  const node = child(reply, 'group')
  if (!node) throw gatewayError('NETWORK_FAILED', [verb, 'the answer has no group'])
  const group = groupOf(node)
  if (!isPlain) await rename(session, group.JID, name, `name ${group.JID}, which has been created`)
  return group
}
