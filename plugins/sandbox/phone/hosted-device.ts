import { createSerialQueue, type Log } from 'wamux/plugin'
import type { Slot } from '../snapshots.ts'
import { child, HOSTED_DEVICE, seconds, withDevice } from '../stanza.ts'
import type { Stanza, Uplink } from '../types.ts'
import { ackOf } from './device/ack.ts'
import { decryptMessage, retryCount } from './device/inbox.ts'
import { connect, createKeys, type PhoneKeys, PREKEYS } from './device/keys.ts'
import { createOutbox, type PhoneOutbox } from './device/outbox.ts'
import type { OwnDevice } from './device/own-device.ts'
import type { KnownTokens } from './device/tokens.ts'
import type { Proto } from './messages/compose.ts'
import { createMessages, type PhoneMessages } from './messages/store.ts'

/** The Cloud API as a device of an account that is also used in the app (coexistence): with keys of its own, and in no group. */
export interface HostedDevice {
  readonly isAdded: boolean
  /** Connects it, which others are told; returns its JID. */
  add(): Promise<string>
  /** Ends it, when the network has dropped it; one that is added later has new keys. */
  remove(): Promise<void>
  send(chat: string, message: Proto): Promise<string>
  /** What it decrypted and sent. */
  readonly messages: Pick<PhoneMessages, 'all' | 'wait'>
  /** Ids and reasons of messages that it could not decrypt. */
  readonly failures: readonly string[]
}

interface Line {
  readonly keys: PhoneKeys
  readonly outbox: PhoneOutbox
  readonly uplink: Uplink
}

/**
 * @param own the account's phone.
 * @returns connected, if it was added before the process ended.
 */
export async function createHostedDevice(
  own: OwnDevice,
  { keys: phoneKeys, tokens }: { keys: PhoneKeys; tokens: KnownTokens },
  log: Log,
): Promise<HostedDevice> {
  const { wire, network, account } = own
  /** @param earlier how many hosted devices the account had before, each with keys of its own. */
  const slotAfter =
    (earlier: number): Slot =>
    (name, create) =>
      own.slot(`hosted ${earlier === 0 ? '' : `${earlier} `}${name}`, create)
  const slot = slotAfter(0)
  const { snapshots } = network
  const state = slot('state', () => ({ isAdded: false, earlier: 0 }))
  const messages = createMessages(wire, { slot, folder: snapshots.folder })
  const retries = slot('retries', () => new Map<string, number>())
  const failures: string[] = []
  const queue = createSerialQueue()
  let line: Line | undefined

  function connected(): Line {
    if (!line) throw new Error('the hosted device is not connected')
    return line
  }

  async function open(): Promise<void> {
    const uplink = network.connectHosted(account, (stanza) => {
      const failed = (error: unknown): void => log.debug({ err: error }, 'hosted device failed on a stanza')
      void queue.run(() => snapshots.run(() => handleStanza(stanza))).catch(failed)
    })
    const device = { ...own, uplink, slot: slotAfter(state.earlier) }
    const keys = createKeys(device)
    const outbox = createOutbox(device, { keys, tokens }, HOSTED_DEVICE)
    line = { keys, outbox, uplink }
    await connect(keys, uplink)
  }

  async function handleStanza(stanza: Stanza): Promise<void> {
    const { tag, attrs } = stanza
    if (tag === 'message') return receive(stanza)
    const ack = ackOf(stanza)
    if (ack) connected().uplink.send(ack)
    if (tag === 'receipt' && attrs['type'] === 'retry') return answerRetry(stanza)
    if (tag === 'notification' && attrs['type'] === 'devices') return connected().keys.endRemoved(stanza)
    const isLow = tag === 'notification' && attrs['type'] === 'encrypt' && !child(stanza, 'identity')
    return isLow ? connected().keys.publish(PREKEYS) : undefined
  }

  async function receive(stanza: Stanza): Promise<void> {
    try {
      const { keys, uplink } = connected()
      const inbox = { wire, account, keys, uplink, retries, secretOf: () => undefined }
      const decrypted = await decryptMessage(inbox, stanza)
      if (!decrypted || messages.has(decrypted.id, decrypted.from)) return
      const { message: raw, ...rest } = decrypted
      messages.add({ ...rest, raw })
    } catch (error) {
      failures.push(`${stanza.attrs['id']}: ${String(error)}`)
      throw error
    }
  }

  /** It keeps no sessions, and needs keys for each resend (ZP #111, WR protocol/retry.rs); a request without them has no answer [?]. */
  async function answerRetry(receipt: Stanza): Promise<void> {
    const { id = '', from: device = '' } = receipt.attrs
    const sent = messages.all().find((message) => message.fromMe && message.id === id)
    if (!sent || !child(receipt, 'keys')) return
    const { keys, outbox } = connected()
    await keys.acceptRetryKeys(device, receipt)
    await outbox.send(sent.chat, sent.raw, { id, retry: { device, count: retryCount(receipt) } })
  }

  if (state.isAdded) await open()
  return {
    get isAdded() {
      return state.isAdded
    },
    async add() {
      state.isAdded = true
      await open()
      return withDevice(account.jid, HOSTED_DEVICE)
    },
    remove: () =>
      queue.run(async () => {
        Object.assign(state, { isAdded: false, earlier: state.earlier + 1 })
        line = undefined
        await phoneKeys.sessions.end(withDevice(account.lid, HOSTED_DEVICE))
      }),
    send: (chat, raw) =>
      queue.run(async () => {
        const id = await connected().outbox.send(chat, raw)
        messages.add({ id, chat, from: account.lid, fromMe: true, timestamp: seconds(), attrs: {}, raw })
        return id
      }),
    messages,
    failures,
  }
}
