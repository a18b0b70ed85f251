import { randomBytes } from 'node:crypto'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { ask, child, children, networkCodeOf } from 'wamux/messaging'
import { gatewayError, type LiveSession } from 'wamux/plugin'
import { readGroup } from './groups.ts'
import { participantOf } from './info.ts'
import { newMembers } from './new-members.ts'
import { queryGroup } from './query.ts'
import type { Participant } from './schemas.ts'

export const ACTIONS = ['add', 'remove', 'promote', 'demote'] as const
export type MemberAction = (typeof ACTIONS)[number]

export function toAction(text: string): MemberAction {
  const action = ACTIONS.find((one) => one === text)
  if (!action) throw gatewayError('ACTION_INVALID', [], { details: `one of ${ACTIONS.join(', ')}` })
  return action
}

/** Adds, removes, promotes or demotes members; returns the outcome for each of them. */
export async function changeMembers(
  session: LiveSession,
  group: string,
  action: MemberAction,
  people: readonly string[],
): Promise<Participant[]> {
  const content =
    action === 'add'
      ? await newMembers(session, people, 'newMember')
      : people.map((jid) => ({ tag: 'participant', attrs: { jid } }))
  const reply = await queryGroup(
    session,
    'set',
    { tag: action, attrs: {}, content },
    `${action} participants`,
    group,
  )
  return children(child(reply, action), 'participant').map(participantOf)
}

export async function rename(
  session: LiveSession,
  group: string,
  name: string,
  verb = 'name the group',
): Promise<void> {
  await queryGroup(session, 'set', { tag: 'subject', attrs: {}, content: Buffer.from(name) }, verb, group)
}

/**
 * Sets the description, or clears it with ''. The network requires the id of the previous one. If another admin has changed that
 * since it was read, the network answers 409, and it is read again, once.
 */
export async function describe(session: LiveSession, group: string, text: string): Promise<void> {
  try {
    await replaceDescription(session, group, text)
  } catch (error) {
    if (networkCodeOf(error) !== 409) throw error
    await replaceDescription(session, group, text)
  }
}

async function replaceDescription(session: LiveSession, group: string, text: string): Promise<void> {
  const { TopicID } = await readGroup(session, group)
  const attrs = {
    ...(text ? { id: randomBytes(10).toString('hex').toUpperCase() } : { delete: 'true' }),
    ...(TopicID ? { prev: TopicID } : {}),
  }
  const body = text ? { content: [{ tag: 'body', attrs: {}, content: Buffer.from(text) }] } : {}
  await queryGroup(session, 'set', { tag: 'description', attrs, ...body }, 'describe the group', group)
}

type Setting =
  | { tag: 'locked' | 'unlocked' | 'announcement' | 'not_announcement' }
  | { tag: 'member_add_mode'; content: Buffer }
  | { tag: 'membership_approval_mode'; content: BinaryNode[] }

export async function setting(session: LiveSession, group: string, change: Setting): Promise<void> {
  await queryGroup(session, 'set', { ...change, attrs: {} }, 'change the group', group)
}

/** The answer for several people. */
export function outcomeOf(Participants: Participant[], done: string) {
  const failed = Participants.filter(({ Error: code }) => code !== 0).length
  return {
    Details: failed ? `${failed} of ${Participants.length} participants not updated` : done,
    Participants,
  }
}

/** Sets the picture; returns its id. */
export async function setPhoto({ socket }: LiveSession, group: string, jpeg: Buffer): Promise<string> {
  const picture = { tag: 'picture', attrs: { type: 'image' }, content: jpeg }
  const reply = await ask(socket, { ...photoOf(group), content: picture, verb: 'set the photo' })
  return child(reply, 'picture')?.attrs['id'] ?? ''
}

export async function removePhoto({ socket }: LiveSession, group: string): Promise<void> {
  await ask(socket, { ...photoOf(group), verb: 'remove the photo' })
}

const photoOf = (group: string) =>
  ({ xmlns: 'w:profile:picture', type: 'set', attrs: { target: group }, item: group }) as const
