import type { Seed } from '../types.ts'
import type { AccountState } from './directory/accounts.ts'
import type { Group, Role } from './groups/groups.ts'
import type { NetworkState } from './state.ts'

/** Creates the objects of a seed. Throws if an account is missing. */
export function plantSeed(state: NetworkState, put: (path: string, data: Buffer) => void, seed: Seed): void {
  const owner = (phone: string): AccountState => {
    const account = state.directory.find(phone)
    if (!account) throw new Error(`no account ${phone}`)
    return account
  }
  for (const picture of seed.pictures)
    owner(picture.owner).picture = { id: picture.owner.slice(-9), data: picture.data }
  for (const group of seed.groups) plantGroup(state, group, owner)
  for (const newsletter of seed.newsletters) plantNewsletter(state, newsletter, owner)
  for (const { id, owner: by, ...fields } of seed.products)
    state.business.add(owner(by), { ...NO_EXTRAS, ...fields }, { id, review: 'APPROVED' })
  for (const { buyer, seller, items, ...given } of seed.orders)
    state.business.order(owner(buyer), owner(seller), items, given)
  for (const { path, data } of seed.files) put(path, data)
}

function plantNewsletter(
  { newsletters }: NetworkState,
  seeded: Seed['newsletters'][number],
  owner: (phone: string) => AccountState,
): void {
  const { jid, invite, owner: by, name, description, admins = [], invited = [] } = seeded
  newsletters.acceptTerms(owner(by))
  const newsletter = newsletters.create(owner(by), name, description, { jid, invite })
  for (const phone of admins) newsletter.followers.set(owner(phone), 'ADMIN')
  newsletter.invited = new Map(invited.map((phone) => [owner(phone), Number.MAX_SAFE_INTEGER]))
}

function plantGroup(
  { groups }: NetworkState,
  seeded: Seed['groups'][number],
  owner: (phone: string) => AccountState,
): void {
  const { jid, owner: by, subject, members = [], invite, isCommunity = false } = seeded
  const { requests = [], invitations = [] } = seeded
  const roles = new Map<AccountState, Role>([[owner(by), 'superadmin']])
  for (const member of members) roles.set(owner(member), 'member')
  const kind: Partial<Group> = { jid, members: roles, isParent: isCommunity, ...(invite ? { invite } : {}) }
  const group = groups.create(owner(by), subject, kind)
  for (const phone of requests) group.requests.set(owner(phone), group.creation)
  for (const { code, phone, expiration } of invitations)
    group.invitations.set(code, { account: owner(phone), admin: owner(by), expiration })
  if (isCommunity) groups.create(owner(by), subject, { parent: group, isDefault: true, isAnnouncement: true })
}

const NO_EXTRAS = {
  retailerId: '',
  url: '',
  images: [],
  isHidden: false,
  complianceCategory: undefined,
  compliance: undefined,
}
