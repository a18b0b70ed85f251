import type { World } from '../../support/world.ts'

export interface GroupView {
  JID: string
  Subject: string
  Description: string
  Members: { Phone: string; Role: string }[]
  Requests: string[]
  Locked: boolean
  AdminOnly: boolean
  Approval: boolean
  AddMode: string
  Invite: string
  Picture: string
  Community: boolean
  Parent: string
  Default: boolean
}

/** A group as the network has it. */
export function viewOf(world: World, jid: string): GroupView {
  const found = viewsOf(world).find(({ JID }) => JID === jid)
  if (!found) throw new Error(`the network has no group ${jid}`)
  return found
}

export function viewsOf(world: World): GroupView[] {
  return world.gateway.service('sandbox').network.view()['Groups'] as GroupView[]
}
