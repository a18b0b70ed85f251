import type { AccountState } from './accounts.ts'
import type { Group } from './groups.ts'
import type { NetworkState } from './state.ts'

/** The network as plain values. */
export function viewNetwork(
  state: NetworkState,
  media: { files: number; bytes: number },
): Record<string, unknown> {
  return {
    Accounts: state.directory.all().map(({ phone, lid, name }) => ({ Phone: phone, LID: lid, Name: name })),
    Groups: state.groups.all().map(viewGroup),
    Media: media,
    Counters: state.counters,
  }
}

export function viewAccount(state: NetworkState, account: AccountState): Record<string, unknown> {
  return {
    Phone: account.phone,
    JID: account.jid,
    LID: account.lid,
    Name: account.name,
    About: account.about,
    Business: account.business,
    Picture: account.picture?.id ?? '',
    Companions: [...account.devices.values()]
      .filter(({ id }) => id !== 0)
      .map((device) => ({
        JID: device.jid,
        Platform: device.platform,
        Online: device.link !== undefined,
        Available: device.isAvailable,
        Waiting: [...device.queue.values()].flat().length,
        PreKeys: device.bundle?.oneTime.length ?? 0,
      })),
    Groups: state.groups.of(account).map(({ jid }) => jid),
    Blocked: [...account.blocked],
    Privacy: Object.fromEntries(account.privacy),
    AppState: Object.fromEntries([...account.collections].map(([name, patches]) => [name, patches.length])),
  }
}

function viewGroup(group: Group): Record<string, unknown> {
  return {
    JID: group.jid,
    Subject: group.subject,
    Description: group.description?.text ?? '',
    Members: [...group.members].map(([account, role]) => ({ Phone: account.phone, Role: role })),
    Locked: group.isLocked,
    AdminOnly: group.isAnnouncement,
    Ephemeral: group.ephemeral,
    Invite: group.invite,
  }
}
