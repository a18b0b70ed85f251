import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import type { LinkedSession, World } from '../../support/world.ts'

/** What the network holds of a business. */
export interface Shop {
  Phone: string
  Address: string
  Description: string
  Email: string
  CoverPhoto: string
  CoverSHA256: string
  Hours: Record<string, string>[]
  Products: Kept[]
}

export interface Kept {
  ID: string
  Name: string
  Description: string
  Price: number | null
  Currency: string
  RetailerID: string
  URL: string
  Images: { URL: string; SHA256: string }[]
  Hidden: boolean
  Review: string
  Origin: Record<string, string>[]
}

export function businessPhone(world: World, name: string): Promise<Phone> {
  return world.phone(name, { business: true })
}

export function shopOf(world: World, { account }: Phone): Shop {
  const { network } = world.gateway.service('sandbox')
  const shop = (network.view()['Businesses'] as Shop[]).find(({ Phone }) => Phone === account.phone)
  if (!shop) throw new Error(`${account.name} is no business`)
  return shop
}

/** The one product of that id, as the network holds it. */
export function keptOf(world: World, session: LinkedSession, id: string): Kept | undefined {
  return shopOf(world, session.phone).Products.find(({ ID }) => ID === id)
}
