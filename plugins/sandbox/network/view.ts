import { viewBusinesses, viewShop } from './business/view.ts'
import type { AccountState } from './directory/accounts.ts'
import type { Group } from './groups/groups.ts'
import { viewCall } from './messaging/calls.ts'
import { viewStatus } from './messaging/statuses.ts'
import type { NetworkState } from './state.ts'
import { floorOf, revisionOf } from './transport/client-version.ts'

/** The state of the network as plain JSON values. */
export function viewNetwork(
  state: NetworkState,
  media: { files: number; bytes: number },
): Record<string, unknown> {
  return {
    Accounts: state.directory.all().map(({ phone, lid, name, username }) => ({
      Phone: phone,
      LID: lid,
      Name: name,
      Username: username,
    })),
    Groups: state.groups.all().map(viewGroup),
    ...viewBusinesses(state),
    Newsletters: state.newsletters.view(),
    Calls: [...state.calls.values()].map(viewCall),
    CallLinks: [...state.callLinks].map(([token, { creator, media }]) => ({
      Token: token,
      From: creator.phone,
      Media: media,
    })),
    Statuses: state.statuses.map(viewStatus),
    LinkCodes: state.unpairedCompanions.all().flatMap(({ codeRefs }) => codeRefs),
    Media: media,
    WebVersion: { Floor: floorOf(state), Current: revisionOf(state) },
    Logins: state.logins,
    Counters: state.counters,
  }
}

export function briefAccount({ groups }: NetworkState, account: AccountState) {
  return {
    companions: [...account.devices.values()]
      .filter(({ id }) => id !== 0)
      .map(({ jid, link }) => ({ jid, isOnline: link !== undefined })),
    blocked: [...account.blocked],
    groups: groups.of(account).map(({ jid }) => jid),
  }
}

export function viewAccount(state: NetworkState, account: AccountState): Record<string, unknown> {
  return {
    Phone: account.phone,
    JID: account.jid,
    LID: account.lid,
    Name: account.name,
    Username: account.username,
    NumberHidden: account.hidesNumber,
    LIDMigrated: account.lidMigrated,
    About: account.about,
    Business: account.business,
    Shop: viewShop(state, account),
    Picture: account.picture?.id ?? '',
    Companions: [...account.devices.values()]
      .filter(({ id }) => id !== 0)
      .map((device) => ({
        JID: device.jid,
        Platform: device.platform,
        Online: device.link !== undefined,
        Available: device.isAvailable,
        Waiting: [...device.queue.values()].flat().length,
        Dirty: [...device.dirty.keys()],
        SignedPreKey: device.bundle?.signed.id.readUIntBE(0, 3) ?? 0,
        PreKeys: device.bundle?.oneTime.length ?? 0,
      })),
    Groups: state.groups.of(account).map(({ jid }) => jid),
    Blocked: [...account.blocked],
    Privacy: Object.fromEntries(account.privacy),
    HiddenFrom: Object.fromEntries(
      [...account.hiddenFrom].map(([name, list]) => [name, [...list].map(({ phone }) => phone)]),
    ),
    Disappearing: account.disappearing.duration,
    Contacts: [...account.contacts].map(({ phone }) => phone),
    Restrictions: account.restrictions,
    AppState: Object.fromEntries([...account.collections].map(([name, patches]) => [name, patches.length])),
  }
}

/** A group as shown by GET /sandbox/network. */
function viewGroup(group: Group): Record<string, unknown> {
  return {
    JID: group.jid,
    Subject: group.subject,
    Description: group.description?.text ?? '',
    Members: [...group.members].map(([account, role]) => ({ Phone: account.phone, Role: role })),
    Requests: [...group.requests.keys()].map(({ phone }) => phone),
    Locked: group.isLocked,
    AdminOnly: group.isAnnouncement,
    Approval: group.needsApproval,
    AddMode: group.addMode,
    Ephemeral: group.ephemeral,
    Invite: group.invite,
    Picture: group.picture?.id ?? '',
    Community: group.isParent,
    Parent: group.parent?.jid ?? '',
    Default: group.isDefault,
  }
}
