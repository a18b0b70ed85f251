import type { GatewayServices, Log } from 'wamux/plugin'
import type { Account, LinkCodeRequest, PhoneHandler, SimulatedNetwork } from '../types.ts'
import type { Action } from './actions/action.ts'
import { runAction } from './actions/actions.ts'
import { createPhoneChats } from './chats.ts'
import { connect } from './device/keys.ts'
import { type LinkContext, linkByCode, linkByQr } from './device/link.ts'
import { slotOf } from './device/own-device.ts'
import { createPasskey, type PhonePasskey } from './device/passkey.ts'
import { createPhoneDevice } from './device/phone-device.ts'
import { withStorage } from './device/storage.ts'
import type { Display } from './display/display.ts'
import { type MessageFile, openFile } from './display/file.ts'
import { createHostedDevice, type HostedDevice } from './hosted-device.ts'
import { compose, type Draft } from './messages/compose.ts'
import { isViewOnce } from './messages/kind.ts'
import type { Stored } from './messages/store.ts'
import { createProvision } from './provision.ts'
import { createReception, type Reception } from './receive.ts'
import { createPhoneWriter, editAttribute } from './write.ts'

const MAX_PRESENCES_SHOWN = 50
const MAX_HOSTED_SHOWN = 50

/** A simulated phone: an account's first device, with real keys and a real Signal endpoint. */
export interface Phone extends Omit<Reception, 'receive'> {
  readonly account: Account
  /** Links the companion whose QR code is in the picture; returns its JID. `asked` is called if the link waits for a passkey. */
  scan(picture: string, asked?: () => void): Promise<string>
  /** Links the companion with this pairing code; returns its JID. */
  pair(code: string, asked?: () => void): Promise<string>
  /** The phone's part in linking with a passkey, after which `scan` and `pair` resolve. */
  readonly passkey: PhonePasskey
  send(to: string, draft: Draft): Promise<string>
  act(action: Action): Promise<Record<string, unknown>>
  /** Messages with a seq above `after`, oldest first. */
  messages(after?: number): Stored[]
  /** Waits for the first message, past or future, that `matches`; rejects after `ms`. */
  wait(matches: (message: Stored) => boolean, ms?: number): Promise<Stored>
  /** What the user sees. */
  readonly display: Display
  /** The decrypted file of a message; one that is viewed once has none. Throws ITEM_UNKNOWN. */
  file(id: string): Promise<MessageFile>
  /** Whether it is switched on. */
  readonly isOn: boolean
  /** The Cloud API as a device of the account, once it is added. */
  readonly hosted: HostedDevice
  view(): Record<string, unknown>
}

export interface PhoneParts {
  wire: GatewayServices['wire']
  network: SimulatedNetwork
  account: Account
  log: Log
  /** Creates the phone of another account. */
  addPhone(account: Account): Promise<Phone>
}

export async function createPhone({ wire, network, account, log, addPhone }: PhoneParts): Promise<Phone> {
  const { snapshots } = network
  const slot = slotOf(network, account)
  let linkCodeRequest: LinkCodeRequest | undefined
  const handler: PhoneHandler = {
    receive: (stanza) => reception.receive(stanza),
    linkCode(request) {
      linkCodeRequest = request
    },
    clockMoved: () => chats.erase(),
  }
  const own = { wire, network, account, slot, uplink: withStorage(network.connectPhone(account, handler)) }
  const opened = slot('opened messages', () => new Set<string>())
  const broadcasts = slot('broadcasts', () => new Map<string, string[]>())
  const device = createPhoneDevice(own)
  const chats = createPhoneChats(own, opened)
  const reception = createReception(own, device, chats, log)
  const writer = createPhoneWriter(own, device, chats)
  const provision = createProvision(own, device, chats, broadcasts)
  const passkey = createPasskey(own)
  const hosted = await createHostedDevice(own, device, log)

  const { uplink } = own
  const { keys, settings } = device
  const { messages, display } = chats
  const usedKeys = slot('used keys', () => new Map<string, string>())
  const linkContext = (asked = (): void => undefined): LinkContext => ({
    ...{ ...own, ...device, passkey, usedKeys, asked },
    creds: keys.creds,
  })
  const actionParts = {
    ...{ ...own, ...device, ...writer, addPhone, hosted, broadcasts, opened },
    messages: messages.all,
  }

  /** Resolves when the effect is stored. */
  async function stored<T>(work: () => Promise<T>): Promise<T> {
    const result = await snapshots.run(work)
    await snapshots.stored()
    return result
  }

  const { receive: _receive, ...received } = reception
  const phone: Phone = {
    ...received,
    account,
    scan: async (picture, asked) => provision(await linkByQr(linkContext(asked), picture)),
    pair: async (code, asked) => provision(await linkByCode(linkContext(asked), code, linkCodeRequest)),
    passkey,
    send: (to, draft) =>
      stored(async () => {
        const extras = { id: draft.Id, ...editAttribute({ edit: draft.Edit }) }
        return writer.sendMessage(writer.chatOf(to), await compose(wire, uplink, draft), extras)
      }),
    async act(action) {
      const result = await stored(() => runAction(actionParts, action))
      display.acted(action, result['Id'])
      return result
    },
    messages: (after = 0) => messages.all().filter((message) => message.seq > after),
    wait: messages.wait,
    display,
    async file(id) {
      const raw = messages.all().findLast((one) => one.id === id)?.raw
      return openFile(wire, uplink, raw && isViewOnce(raw) ? undefined : raw)
    },
    get isOn() {
      return uplink.isOnline()
    },
    hosted,
    view: () => ({
      ...network.viewAccount(account),
      PasskeyCode: passkey.code,
      Settings: settings.view(),
      SettingsFaults: settings.invalidPatches,
      SettingsRequests: settings.requests,
      Messages: messages.all().length,
      Presences: phone.presences.slice(-MAX_PRESENCES_SHOWN),
      Undecryptable: phone.failures.length,
      ...(hosted.isAdded ? { Hosted: viewHosted(hosted) } : {}),
    }),
  }
  if ((await connect(keys, uplink)) === 'restored') await provision.rest()
  return phone
}

function viewHosted({ messages, failures }: HostedDevice): Record<string, unknown> {
  const shown = messages.all().slice(-MAX_HOSTED_SHOWN)
  return {
    Messages: shown.map(({ id, chat, fromMe, message }) => ({
      ID: id,
      Chat: chat,
      FromMe: fromMe,
      Message: message,
    })),
    Undecryptable: failures.length,
  }
}
