import { children, el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { Device } from '../accounts.ts'
import { tell, versions } from '../group-news.ts'
import { participantNode } from '../group-node.ts'
import { type Group, isAdmin } from '../groups.ts'
import type { NetworkState } from '../state.ts'

/** Leaves groups; a community is left with all of its groups. */
export function leave(state: NetworkState, device: Device, request: Stanza): Stanza[] {
  for (const { tag, attrs } of children(request)) {
    const jid = `${attrs['id']?.replace('@g.us', '')}@g.us`
    const group = state.groups.get(jid, device.account)
    const within = tag === 'community' ? state.groups.within(group) : []
    for (const one of [...within, group]) if (one.members.has(device.account)) goAway(state, device, one)
  }
  return [el('leave', {}, children(request))]
}

/** Ends a membership by the member's own will. A group without an admin makes its oldest member one. */
function goAway(state: NetworkState, device: Device, group: Group): void {
  const { account } = device
  const told = [...group.members.keys()]
  group.members.delete(account)
  group.left.add(account)
  tell(
    state,
    group,
    device,
    el('remove', { reason: 'leave', ...versions(group) }, [participantNode(account)]),
    told,
  )
  const [heir] = group.members.keys()
  if (!heir || [...group.members.keys()].some((member) => isAdmin(group, member))) return
  group.members.set(heir, 'admin')
  tell(state, group, device, el('promote', versions(group), [participantNode(heir, 'admin')]))
}
