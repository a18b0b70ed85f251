import { createSerialQueue, type GatewayServices, gatewayError, type Log } from 'wamux/plugin'
import { bare, child, children, parseJid, seconds, withDevice } from '../stanza.ts'
import type { Account, LinkCodeRequest, SimulatedNetwork, Stanza } from '../types.ts'
import type { Action } from './actions/action.ts'
import { runAction } from './actions/actions.ts'
import { ackOf } from './device/ack.ts'
import { type DecryptedMessage, decryptMessage, retryCount } from './device/inbox.ts'
import { createKeyIndexes } from './device/key-indexes.ts'
import { connect, createKeys, PREKEYS, slotOf } from './device/keys.ts'
import { type LinkContext, linkByCode, linkByQr } from './device/link.ts'
import { createOutbox, type PhoneSendExtras } from './device/outbox.ts'
import { createPasskey, type PhonePasskey } from './device/passkey.ts'
import { createSettings } from './device/settings.ts'
import { withStorage } from './device/storage.ts'
import { createTokens } from './device/tokens.ts'
import { hasContent } from './display/content.ts'
import { createDisplay, type Display } from './display/display.ts'
import { type MessageFile, openFile } from './display/file.ts'
import { createHostedDevice, type HostedDevice } from './hosted-device.ts'
import { newSecret } from './messages/additions.ts'
import { answerIn } from './messages/answers.ts'
import { compose, type Draft, encodeMessage, type Proto } from './messages/compose.ts'
import { createDisappearing } from './messages/disappearing.ts'
import { fetchMessageMedia } from './messages/fetch-media.ts'
import { messagesShared } from './messages/group-history.ts'
import { historyOnDemand } from './messages/history.ts'
import { isViewOnce } from './messages/kind.ts'
import { resendResponse } from './messages/resend.ts'
import { answerMediaRetry } from './messages/reupload.ts'
import { createRights } from './messages/rights.ts'
import { openMessage } from './messages/secrets.ts'
import { createMessages, type Stored } from './messages/store.ts'
import { createTimers } from './messages/timers.ts'
import { createProvision } from './provision.ts'

const MAX_PRESENCES_SHOWN = 50
const MAX_HOSTED_SHOWN = 50

export interface SeenReceipt {
  id: string
  from: string
  type: string
}

/** A simulated phone: an account's first device, with real keys and a real Signal endpoint. */
export interface Phone {
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
  /** Receipts that reached the phone. */
  readonly receipts: readonly SeenReceipt[]
  readonly presences: readonly Stanza[]
  /** What the user sees. */
  readonly display: Display
  /** The decrypted file of a message; one that is viewed once has none. Throws ITEM_UNKNOWN. */
  file(id: string): Promise<MessageFile>
  /** Whether it is switched on. */
  readonly isOn: boolean
  /** Ids and reasons of messages that could not be decrypted. */
  readonly failures: readonly string[]
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
  const messages = createMessages(wire, { slot, folder: snapshots.folder })
  const opened = slot('opened messages', () => new Set<string>())
  const display = createDisplay({ wire, network, account, messages, opened, slot })
  const receipts: SeenReceipt[] = []
  const presences: Stanza[] = []
  const failures: string[] = []
  const retries = slot('retries', () => new Map<string, number>())
  const broadcasts = slot('broadcasts', () => new Map<string, string[]>())
  let linkCodeRequest: LinkCodeRequest | undefined
  /** Stanzas are handled one by one, as the Signal ratchets require. */
  const queue = createSerialQueue()
  const failed = (error: unknown): void => log.debug({ err: error }, 'phone failed to handle a stanza')
  const receive = (stanza: Stanza): void => {
    try {
      if (!isHandledAtOnce(stanza))
        void queue.run(() => snapshots.run(() => handleStanza(stanza))).catch(failed)
    } catch (error) {
      failed(error)
    }
  }
  const linkCode = (request: LinkCodeRequest): void => {
    linkCodeRequest = request
  }
  const clockMoved = (): void => disappearing.erase()
  const uplink = withStorage(network.connectPhone(account, { receive, linkCode, clockMoved }))
  const timers = createTimers({ wire, network, account, uplink, slot })
  const disappearing = createDisappearing({ wire, network, account, messages, slot })
  const rights = createRights({ wire, network, account, uplink, messages })
  const keys = createKeys(wire, account, () => uplink, slot)
  const encode = (message: Proto | Record<string, unknown>): Uint8Array => encodeMessage(wire, message)
  const tokens = createTokens({ network, account, uplink, slot })
  const outbox = createOutbox({ network, account, keys, uplink, tokens, slot, encode })
  const settings = createSettings(wire, uplink, slot)
  const parts = { wire, account, network, uplink, settings, broadcasts }
  const provision = createProvision({ ...parts, outbox, messages, timers, tokens })
  const passkey = createPasskey(wire, network, account, slot)
  const keyIndexes = createKeyIndexes({ wire, network, account, creds: keys.creds, slot })
  const hosted = await createHostedDevice({ wire, network, account, phone: keys, tokens, encode, slot, log })
  const usedKeys = slot('used keys', () => new Map<string, string>())
  const linkContext = (asked = (): void => undefined): LinkContext => ({
    network,
    wire,
    account,
    creds: keys.creds,
    passkey,
    keyIndexes,
    usedKeys,
    asked,
  })

  /** Acks and receipts change no session and need not wait for messages. Receipts of some types are answered. */
  function isHandledAtOnce(stanza: Stanza): boolean {
    const { tag, attrs } = stanza
    display.receive(stanza)
    if (tag === 'ack') return true
    if (tag !== 'receipt' || attrs['type'] === 'retry' || attrs['type'] === 'server-error') return false
    const ack = ackOf(stanza)
    if (ack) uplink.send(ack)
    recordReceipt(stanza)
    return true
  }

  async function handleStanza(stanza: Stanza): Promise<void> {
    const { tag, attrs } = stanza
    if (tag === 'message') return receiveMessage(stanza)
    const ack = ackOf(stanza)
    if (ack) uplink.send(ack)
    if (attrs['type'] === 'server-error') return answerMediaRetry(wire, uplink, messages.all(), stanza)
    if (tag === 'receipt') return answerRetry(stanza)
    if (tag === 'presence' || tag === 'chatstate' || tag === 'call') presences.push(stanza)
    if (tag !== 'notification') return undefined
    if (attrs['type'] === 'w:gp2') return timers.notified(stanza)
    if (attrs['type'] === 'encrypt') return child(stanza, 'identity') ? undefined : keys.publish(PREKEYS)
    if (attrs['type'] === 'devices') return keys.endRemoved(stanza)
    if (attrs['type'] === 'privacy_token') return tokens.received(stanza)
    if (attrs['type'] !== 'server_sync') return undefined
    for (const { attrs: collection } of children(stanza, 'collection'))
      await settings.pull(collection['name'] ?? '')
    return undefined
  }

  const secretOf = (id: string): Uint8Array | undefined =>
    messages.all().find((message) => message.id === id)?.raw.messageContextInfo?.messageSecret ?? undefined

  async function receiveMessage(stanza: Stanza): Promise<void> {
    try {
      const decrypted = await decryptMessage({ wire, account, keys, uplink, secretOf, retries }, stanza)
      if (!decrypted) return
      const { appStateSyncKeyRequest, peerDataOperationRequestMessage } =
        decrypted.message.protocolMessage ?? {}
      if (appStateSyncKeyRequest || peerDataOperationRequestMessage)
        return decrypted.fromMe ? await answerRequest(decrypted) : undefined
      const { message, ...rest } = decrypted
      const author = { ...decrypted, from: rest.fromMe ? account.lid : rest.from }
      const raw = openMessage({ wire, stored: messages.all(), accountOf: network.account }, author) ?? message
      // A message resent for another device is a duplicate here. An edited post has the post's id.
      if (messages.has(rest.id, rest.from) && !isEditedPost(rest)) return
      await timers.load(rest.chat).catch(() => undefined)
      const refused = (await rights.refuses({ ...rest, raw })) ? { refused: true as const } : {}
      const expiry = refused.refused ? {} : timers.take({ ...rest, raw })
      const unmarked = isUnmarked(raw, rest.nodes) ? { unmarked: true } : {}
      const answer = answersOf(author.from, raw)
      show({
        ...rest,
        raw,
        ...refused,
        ...expiry,
        ...unmarked,
        ...answer,
        ...(await fetchMessageMedia(wire, uplink, raw)),
      })
      const reader = { wire, account, uplink, now: network.now }
      for (const one of await messagesShared(reader, { ...rest, raw }))
        if (!messages.has(one.id, one.from)) show(one)
    } catch (error) {
      failures.push(`${stanza.attrs['id']}: ${String(error)}`)
      throw error
    }
  }

  function answersOf(from: string, raw: Proto): Pick<Stored, 'answer'> {
    const answer = answerIn({ wire, stored: messages.all(), accountOf: network.account }, from, raw)
    return answer ? { answer } : {}
  }

  function show(message: Omit<Stored, 'seq' | 'message'>): void {
    if (!message.refused) disappearing.take(message)
    disappearing.erase()
    display.add(messages.add(message))
  }

  /** As the account sees it: the LID of somebody who hides the number. */
  function numberOf(jid: string): string {
    const other = network.account(jid)
    return other && !other.hidesNumber ? other.jid : bare(jid)
  }

  /** Answers a companion's request for the phone's copies of messages or settings, their keys, or older messages of a chat. */
  async function answerRequest({ id, from, message }: DecryptedMessage): Promise<void> {
    const { historySyncOnDemandRequest } = message.protocolMessage?.peerDataOperationRequestMessage ?? {}
    const chat = historySyncOnDemandRequest?.chatJid ?? ''
    const usernameOf = (jid: string): string => network.account(jid)?.username ?? ''
    const asked = { requestId: id, request: message, usernameOf }
    const answer =
      (await historyOnDemand(wire, account, asked, messagesOf(chat), uplink)) ??
      settings.answer(message, id) ??
      resendResponse({ wire, numberOf }, message, id, messages.all())
    if (answer) await outbox.peer(withDevice(account.lid, parseJid(from)?.device ?? 0), answer)
  }

  function recordReceipt(stanza: Stanza): void {
    const { id = '', from = '', participant, type = 'delivered' } = stanza.attrs
    const listed = children(children(stanza, 'list')[0], 'item').map(({ attrs }) => attrs['id'] ?? '')
    for (const one of [id, ...listed]) receipts.push({ id: one, from: participant ?? from, type })
    messages.touch()
  }

  /** Messages of a chat, which may be stored under phone number and LID. */
  function messagesOf(chat: string): Stored[] {
    const { jid = chat, lid = chat } = network.account(chat) ?? {}
    return messages.all().filter((message) => [chat, jid, lid].includes(message.chat))
  }

  async function answerRetry(stanza: Stanza): Promise<void> {
    recordReceipt(stanza)
    const { id = '', from = '', participant: device = from } = stanza.attrs
    const sent = messages.all().find((message) => message.fromMe && message.id === id)
    if (!sent) return
    await keys.acceptRetryKeys(device, stanza)
    const envelope = sent.envelope && wire.proto.Message.decode(sent.envelope)
    const retry = { device, count: retryCount(stanza) }
    await outbox.send(sent.chat, sent.raw, { id, ...editOf(sent.attrs), envelope, retry })
  }

  /** The JID of a chat given by phone number or JID. People are addressed by LID, unless given by phone JID. */
  function chatOf(to: string): string {
    if (/@(g\.us|newsletter)$/.test(to)) return to
    const other = network.account(to)
    if (!other) throw gatewayError('NOT_ON_NETWORK', [to])
    return bare(to).endsWith('@s.whatsapp.net') ? other.jid : other.lid
  }

  async function sendMessage(chat: string, content: Proto, extras: PhoneSendExtras = {}): Promise<string> {
    return queue.run(async () => {
      await timers.load(chat).catch(() => undefined)
      const stamped = timers.stamp(chat, content)
      // Newsletter posts are not encrypted and have no secret.
      const raw = chat.endsWith('@newsletter') ? stamped : withSecret(wire, stamped)
      const id = await outbox.send(chat, raw, extras)
      const { envelope } = extras
      const sent = {
        id,
        chat,
        from: account.lid,
        fromMe: true,
        timestamp: seconds(),
        attrs: editOf(extras),
        raw,
        ...answersOf(account.lid, raw),
        ...(envelope ? { envelope: encode(envelope) } : {}),
      }
      if (await rights.refuses(sent)) show({ ...sent, refused: true })
      else show({ ...sent, ...timers.take(sent) })
      return id
    })
  }

  /** Resolves when the effect is stored. */
  async function stored<T>(work: () => Promise<T>): Promise<T> {
    const result = await snapshots.run(work)
    await snapshots.stored()
    return result
  }

  const actionParts = {
    ...parts,
    addPhone,
    tokens,
    keyIndexes,
    hosted,
    chatOf,
    sendMessage,
    messages: messages.all,
    opened,
  }
  const phone: Phone = {
    account,
    scan: async (picture, asked) => provision(await linkByQr(linkContext(asked), picture)),
    pair: async (code, asked) => provision(await linkByCode(linkContext(asked), code, linkCodeRequest)),
    passkey,
    send: (to, draft) =>
      stored(async () => {
        const extras = { id: draft.Id, ...editOf({ edit: draft.Edit }) }
        return sendMessage(chatOf(to), await compose(wire, uplink, draft), extras)
      }),
    async act(action) {
      const result = await stored(() => runAction(actionParts, action))
      display.acted(action, result['Id'])
      return result
    },
    messages: (after = 0) => messages.all().filter((message) => message.seq > after),
    wait: messages.wait,
    receipts,
    presences,
    display,
    async file(id) {
      const raw = messages.all().findLast((one) => one.id === id)?.raw
      return openFile(wire, uplink, raw && isViewOnce(raw) ? undefined : raw)
    },
    get isOn() {
      return uplink.isOnline()
    },
    failures,
    hosted,
    view: () => ({
      ...network.viewAccount(account),
      PasskeyCode: passkey.code,
      Settings: settings.view(),
      SettingsFaults: settings.invalidPatches,
      SettingsRequests: settings.requests,
      Messages: messages.all().length,
      Presences: presences.slice(-MAX_PRESENCES_SHOWN),
      Undecryptable: failures.length,
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

/** A message that is viewed once, which its sender has not marked as such for the network. */
function isUnmarked(raw: Proto, nodes: readonly Stanza[]): boolean {
  return isViewOnce(raw) && !nodes.some(({ tag, attrs }) => tag === 'meta' && attrs['view_once'] === 'true')
}

/** Each message has its own secret, under which later additions to it are sealed. */
function withSecret(wire: GatewayServices['wire'], raw: Proto): Proto {
  if (raw.messageContextInfo?.messageSecret || !hasContent(raw)) return raw
  const messageContextInfo = { ...raw.messageContextInfo, messageSecret: newSecret() }
  return wire.proto.Message.fromObject({ ...raw, messageContextInfo })
}

/** It has the id of the post. */
function isEditedPost({ chat, attrs }: Pick<DecryptedMessage, 'chat' | 'attrs'>): boolean {
  return attrs['edit'] !== undefined && parseJid(chat)?.server === 'newsletter'
}

function editOf({ edit }: { edit?: string | undefined }): { edit: string } | Record<string, never> {
  return edit ? { edit } : {}
}
