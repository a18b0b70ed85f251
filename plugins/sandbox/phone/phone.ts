import { type GatewayServices, gatewayError, type Log } from 'wamux/plugin'
import { bare, children, parseJid, withDevice } from '../stanza.ts'
import type { Account, LinkCodeRequest, SimulatedNetwork, Stanza } from '../types.ts'
import { ackOf } from './ack.ts'
import type { Action } from './action.ts'
import { act } from './actions.ts'
import { compose, type Draft, type Proto } from './compose.ts'
import { fetchAll } from './fetch-media.ts'
import { historyMessages } from './history.ts'
import { type Opened, open, retryOf } from './inbox.ts'
import { createKeys, PREKEYS } from './keys.ts'
import { linkByCode, linkByQr } from './link.ts'
import { createMessages, type Stored } from './messages.ts'
import { createOutbox } from './outbox.ts'
import { resent } from './resend.ts'
import { answerRetry } from './reupload.ts'
import { nameSetting } from './setting-actions.ts'
import { createSettings } from './settings.ts'
import { withStorage } from './storage.ts'

const PRESENCES_SHOWN = 50

export interface SeenReceipt {
  id: string
  from: string
  type: string
}

/** A simulated phone: an account's first device, with real keys and a real Signal endpoint. */
export interface Phone {
  readonly account: Account
  /** Links the companion on the picture; answers its JID. */
  scan(picture: string): Promise<string>
  /** Links the companion whose pairing code is typed. */
  pair(code: string): Promise<string>
  send(to: string, draft: Draft): Promise<string>
  act(action: Action): Promise<Record<string, unknown>>
  /** Messages with a larger seq, oldest first. */
  messages(after?: number): Stored[]
  /** The first message, past or coming, that `matches`; rejects after `ms`. */
  wait(matches: (message: Stored) => boolean, ms?: number): Promise<Stored>
  /** Presence, typing, calls and receipts that reached it. */
  readonly receipts: readonly SeenReceipt[]
  readonly presences: readonly Stanza[]
  /** Messages that could not be decrypted, by reason. */
  readonly failures: readonly string[]
  view(): Record<string, unknown>
}

export async function createPhone(
  wire: GatewayServices['wire'],
  network: SimulatedNetwork,
  account: Account,
  log: Log,
): Promise<Phone> {
  const messages = createMessages(wire)
  const receipts: SeenReceipt[] = []
  const presences: Stanza[] = []
  const failures: string[] = []
  const broadcasts = new Map<string, string[]>()
  let asked: LinkCodeRequest | undefined
  /** Stanzas are worked off one after the other, as the ratchets need it. */
  let work: Promise<unknown> = Promise.resolve()

  const inOrder = <T>(task: () => Promise<T>): Promise<T> => {
    const done = work.then(task)
    work = done.catch(() => undefined)
    return done
  }
  const receive = (stanza: Stanza): void =>
    void inOrder(() => take(stanza)).catch((error: unknown) => log.debug({ err: error }, 'stanza not taken'))
  const linkCode = (request: LinkCodeRequest): void => {
    asked = request
  }
  const uplink = withStorage(network.connectPhone(account, { receive, linkCode }))
  const keys = createKeys(wire, account, () => uplink, log)
  const encode = (message: Proto | Record<string, unknown>): Uint8Array =>
    wire.proto.Message.encode(wire.proto.Message.fromObject(message)).finish()
  const outbox = createOutbox({ account, keys, uplink, encode })
  const settings = createSettings(wire, uplink)
  const linker = { network, wire, account, creds: keys.creds }

  async function take(stanza: Stanza): Promise<void> {
    const { tag, attrs } = stanza
    if (tag === 'message') return takeMessage(stanza)
    const ack = ackOf(stanza)
    if (ack) uplink.send(ack)
    if (attrs['type'] === 'server-error') return answerRetry(wire, uplink, messages.all(), stanza)
    if (tag === 'receipt') return takeReceipt(stanza)
    if (tag === 'presence' || tag === 'chatstate' || tag === 'call') presences.push(stanza)
    if (tag !== 'notification') return undefined
    if (attrs['type'] === 'encrypt') return keys.publish(PREKEYS)
    if (attrs['type'] !== 'server_sync') return undefined
    for (const { attrs: collection } of children(stanza, 'collection'))
      await settings.pull(collection['name'] ?? '')
    return undefined
  }

  const secretOf = (id: string): Uint8Array | undefined =>
    messages.all().find((message) => message.id === id)?.raw.messageContextInfo?.messageSecret ?? undefined

  async function takeMessage(stanza: Stanza): Promise<void> {
    try {
      const opened = await open({ wire, account, keys, uplink, secretOf }, stanza)
      if (!opened || opened.message.protocolMessage?.appStateSyncKeyRequest) return
      if (opened.message.protocolMessage?.peerDataOperationRequestMessage) return await handOn(opened)
      const { message: raw, ...rest } = opened
      // What was sent again for another device's sake is here already; an edited post has the id of the post.
      if (messages.has(rest.id, rest.from) && rest.attrs['edit'] === undefined) return
      messages.add({ ...rest, raw, ...(await fetchAll(wire, uplink, raw)) })
    } catch (error) {
      failures.push(`${stanza.attrs['id']}: ${String(error)}`)
      throw error
    }
  }

  async function handOn({ id, from, message }: Opened): Promise<void> {
    const answer = resent(wire, message, id, messages.all())
    if (answer) await outbox.peer(withDevice(account.lid, parseJid(from)?.device ?? 0), answer)
  }

  async function takeReceipt(stanza: Stanza): Promise<void> {
    const { id = '', from = '', participant, type = 'delivered' } = stanza.attrs
    const listed = children(children(stanza, 'list')[0], 'item').map(({ attrs }) => attrs['id'] ?? '')
    for (const one of [id, ...listed]) receipts.push({ id: one, from: participant ?? from, type })
    messages.touch()
    if (type !== 'retry') return
    const sent = messages.all().find((message) => message.fromMe && message.id === id)
    if (!sent) return
    const device = participant ?? from
    await keys.takeKeys(device, stanza)
    await outbox.send(sent.chat, sent.raw, { id, retry: { device, count: retryOf(stanza) } })
  }

  async function welcome(companion: string): Promise<string> {
    const device = withDevice(account.lid, parseJid(companion)?.device ?? 0)
    const { APP_STATE_SYNC_KEY_SHARE } = wire.proto.Message.ProtocolMessage.Type
    await outbox.peer(device, {
      protocolMessage: { type: APP_STATE_SYNC_KEY_SHARE, appStateSyncKeyShare: settings.keyShare() },
    })
    await settings.write(nameSetting(account.name))
    for (const message of await historyMessages(wire, account, messages.all(), uplink, broadcasts))
      await outbox.peer(device, message)
    return companion
  }

  /** A chat by phone number or any JID; people by LID, as the network addresses them now. */
  function chatOf(to: string): string {
    if (/@(g\.us|newsletter)$/.test(to)) return to
    const other = network.account(to)
    if (!other) throw gatewayError('NOT_ON_NETWORK', [to])
    return bare(to).endsWith('@s.whatsapp.net') ? other.jid : other.lid
  }

  async function sendMessage(chat: string, raw: Proto, edit?: string): Promise<string> {
    return inOrder(async () => {
      const id = await outbox.send(chat, raw, edit ? { edit } : {})
      messages.add({
        id,
        chat,
        from: account.lid,
        fromMe: true,
        timestamp: Math.floor(Date.now() / 1000),
        attrs: {},
        raw,
      })
      return id
    })
  }

  const phone: Phone = {
    account,
    scan: async (picture) => welcome(await linkByQr(linker, picture)),
    pair: async (code) => welcome(await linkByCode(linker, code, asked)),
    send: async (to, draft) => sendMessage(chatOf(to), await compose(wire, uplink, draft)),
    act: (action) =>
      act(
        { wire, account, network, uplink, chatOf, sendMessage, settings, broadcasts, messages: messages.all },
        action,
      ),
    messages: (after = 0) => messages.all().filter((message) => message.seq > after),
    wait: messages.wait,
    receipts,
    presences,
    failures,
    view: () => ({
      ...network.viewAccount(account),
      Settings: settings.view(),
      SettingsFaults: settings.faults,
      Messages: messages.all().length,
      Presences: presences.slice(-PRESENCES_SHOWN),
      Undecryptable: failures.length,
    }),
  }
  await keys.publish(PREKEYS)
  return phone
}
