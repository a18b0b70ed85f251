import type { GatewayServices } from 'wamux/plugin'
import { parseJid, withDevice } from '../stanza.ts'
import type { Account, SimulatedNetwork, Uplink } from '../types.ts'
import { nameSetting } from './actions/settings.ts'
import { slotOf } from './device/keys.ts'
import type { Outbox } from './device/outbox.ts'
import type { Settings } from './device/settings.ts'
import { historyMessages } from './messages/history.ts'
import type { Messages } from './messages/store.ts'
import type { Timers } from './messages/timers.ts'

interface ProvisionParts {
  wire: GatewayServices['wire']
  network: SimulatedNetwork
  account: Account
  uplink: Uplink
  outbox: Outbox
  settings: Settings
  messages: Messages
  broadcasts: ReadonlyMap<string, string[]>
  timers: Timers
}

/** What a phone gives to a companion that it has linked. */
export interface Provision {
  /** Sends the keys of the settings, the name and the history; returns the companion's JID. */
  (companion: string): Promise<string>
  /** Completes the links that the end of the process has interrupted. */
  rest(): Promise<void>
}

export function createProvision(parts: ProvisionParts): Provision {
  const { wire, network, account, uplink, outbox, settings, messages, broadcasts, timers } = parts
  const { snapshots } = network
  /** Numbers of the companions that have got everything. */
  const done = slotOf(network, account)('provisioned', () => new Set<number>())

  async function send(number: number): Promise<void> {
    const device = withDevice(account.lid, number)
    const { APP_STATE_SYNC_KEY_SHARE } = wire.proto.Message.ProtocolMessage.Type
    await outbox.peer(device, {
      protocolMessage: { type: APP_STATE_SYNC_KEY_SHARE, appStateSyncKeyShare: settings.keyShare() },
    })
    await settings.write(nameSetting(account.name))
    const history = { stored: messages.all(), timerOf: timers.of }
    const { secretless } = network.habits()
    for (const message of await historyMessages(wire, account, history, uplink, broadcasts, secretless))
      await outbox.peer(device, message)
    done.add(number)
  }

  async function provision(companion: string): Promise<string> {
    await snapshots.run(() => send(parseJid(companion)?.device ?? 0))
    await snapshots.stored()
    return companion
  }

  return Object.assign(provision, {
    async rest() {
      const { Companions } = network.viewAccount(account) as { Companions: { JID: string }[] }
      for (const { JID } of Companions) if (!done.has(parseJid(JID)?.device ?? 0)) await provision(JID)
    },
  })
}
