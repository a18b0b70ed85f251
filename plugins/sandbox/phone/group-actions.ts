import { randomBytes } from 'node:crypto'
import { child, el } from '../stanza.ts'
import { type Action, type ActionParts, need } from './action.ts'

export async function createGroup(
  { uplink, network }: ActionParts,
  action: Action,
): Promise<Record<string, unknown>> {
  const participants = (action.Participants ?? []).map((who) =>
    el('participant', { jid: network.account(who)?.lid ?? who }),
  )
  const create = el(
    'create',
    { subject: need(action, 'Text'), key: randomBytes(8).toString('hex') },
    participants,
  )
  const reply = await uplink.query(el('iq', { xmlns: 'w:g2', type: 'set', to: '@g.us' }, [create]))
  return { JID: `${child(reply, 'group')?.attrs['id']}@g.us` }
}

async function members(
  { uplink, network }: ActionParts,
  action: Action,
  change: string,
): Promise<Record<string, unknown>> {
  const participants = (action.Participants ?? []).map((who) =>
    el('participant', { jid: network.account(who)?.lid ?? who }),
  )
  await uplink.query(
    el('iq', { xmlns: 'w:g2', type: 'set', to: need(action, 'Chat') }, [el(change, {}, participants)]),
  )
  return {}
}

export async function leaveGroup({ uplink }: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const group = el('group', { id: need(action, 'Chat') })
  await uplink.query(el('iq', { xmlns: 'w:g2', type: 'set', to: '@g.us' }, [el('leave', {}, [group])]))
  return {}
}

export async function subject({ uplink }: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const content = [el('subject', {}, Buffer.from(need(action, 'Text')))]
  await uplink.query(el('iq', { xmlns: 'w:g2', type: 'set', to: need(action, 'Chat') }, content))
  return {}
}

export const addToGroup = (parts: ActionParts, action: Action) => members(parts, action, 'add')
export const removeFromGroup = (parts: ActionParts, action: Action) => members(parts, action, 'remove')
