import { isHosted, parseJid, withDevice } from '../stanza.ts'
import { nameSetting, saltSetting } from './actions/settings.ts'
import type { PhoneChats } from './chats.ts'
import type { OwnDevice } from './device/own-device.ts'
import type { PhoneDevice } from './device/phone-device.ts'
import { historyMessages } from './messages/history.ts'

/** What a phone sends to a newly linked companion. */
export interface Provision {
  /** Sends the settings' keys, the name and the history; returns the companion's JID. */
  (companion: string): Promise<string>
  /** Completes provisioning that the end of the process interrupted. */
  rest(): Promise<void>
}

export function createProvision(
  { wire, network, account, uplink, slot }: OwnDevice,
  { outbox, settings, tokens }: PhoneDevice,
  { messages, timers }: PhoneChats,
  broadcasts: ReadonlyMap<string, string[]>,
): Provision {
  const { snapshots } = network
  /** Numbers of the fully provisioned companions. */
  const done = slot('provisioned', () => new Set<number>())

  async function send(number: number): Promise<void> {
    const device = withDevice(account.lid, number)
    const { APP_STATE_SYNC_KEY_SHARE } = wire.proto.Message.ProtocolMessage.Type
    await outbox.peer(device, {
      protocolMessage: { type: APP_STATE_SYNC_KEY_SHARE, appStateSyncKeyShare: settings.keyShare() },
    })
    await settings.write(nameSetting(account.name))
    const { secretless, saltless, staleHistory } = network.habits()
    const salt = network.saltOf(account)
    if (salt && saltless !== 'settings' && saltless !== 'both') await writeSalt(salt)
    const nctSalt = saltless === 'history' || saltless === 'both' ? undefined : salt
    const history = {
      stored: messages.all(),
      timerOf: timers.of,
      tokenOf: tokens.of,
      usernameOf: (jid: string) => network.account(jid)?.username ?? '',
      nctSalt,
      isStale: staleHistory,
    }
    for (const message of await historyMessages(wire, account, history, uplink, broadcasts, secretless))
      await outbox.peer(device, message)
    done.add(number)
  }

  /** Written once for all companions. */
  async function writeSalt(salt: Uint8Array): Promise<void> {
    const { index, action } = saltSetting(salt)
    const known = settings.view().find(({ Index }) => Index[0] === index[0])?.Action['nctSaltSyncAction']
    const written = Buffer.from(salt).toString('base64')
    if ((known as { salt?: string } | undefined)?.salt !== written && action)
      await settings.write(saltSetting(salt))
  }

  async function provision(companion: string): Promise<string> {
    await snapshots.run(() => send(parseJid(companion)?.device ?? 0))
    await snapshots.stored()
    return companion
  }

  return Object.assign(provision, {
    async rest() {
      const { Companions } = network.viewAccount(account) as { Companions: { JID: string }[] }
      for (const { JID } of Companions)
        if (!isHosted(JID) && !done.has(parseJid(JID)?.device ?? 0)) await provision(JID)
    },
  })
}
