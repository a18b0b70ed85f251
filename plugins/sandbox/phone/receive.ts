import type { Log } from 'wamux/plugin'
import { bare, child, children, parseJid, withDevice } from '../stanza.ts'
import type { Stanza } from '../types.ts'
import type { PhoneChats } from './chats.ts'
import { ackOf } from './device/ack.ts'
import { type DecryptedMessage, decryptMessage, retryCount } from './device/inbox.ts'
import { PREKEYS } from './device/keys.ts'
import type { OwnDevice } from './device/own-device.ts'
import type { PhoneDevice } from './device/phone-device.ts'
import type { StoringUplink } from './device/storage.ts'
import type { Proto } from './messages/compose.ts'
import { fetchMessageMedia } from './messages/fetch-media.ts'
import { messagesShared } from './messages/group-history.ts'
import { historyOnDemand } from './messages/history.ts'
import { isViewOnce } from './messages/kind.ts'
import { resendResponse } from './messages/resend.ts'
import { answerMediaRetry } from './messages/reupload.ts'
import { openMessage } from './messages/secrets.ts'
import type { Stored } from './messages/store.ts'
import { editAttribute } from './write.ts'

export interface SeenReceipt {
  id: string
  from: string
  type: string
}

/** What reaches a phone. */
export interface Reception {
  receive(stanza: Stanza): void
  /** Receipts that reached the phone. */
  readonly receipts: readonly SeenReceipt[]
  readonly presences: readonly Stanza[]
  /** Ids and reasons of messages that could not be decrypted. */
  readonly failures: readonly string[]
}

export function createReception(
  own: OwnDevice & { readonly uplink: StoringUplink },
  { keys, tokens, outbox, settings, queue }: PhoneDevice,
  { messages, timers, display, judge, show }: PhoneChats,
  log: Log,
): Reception {
  const { wire, network, account, uplink, slot } = own
  const receipts: SeenReceipt[] = []
  const presences: Stanza[] = []
  const failures: string[] = []
  const retries = slot('retries', () => new Map<string, number>())

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
      const decrypted = await decryptMessage({ ...own, keys, secretOf, retries }, stanza)
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
      const received = { ...rest, raw }
      const judged = await judge(received, author.from)
      const unmarked = isUnmarked(raw, rest.nodes) ? { unmarked: true } : {}
      show({ ...received, ...judged, ...unmarked, ...(await fetchMessageMedia(wire, uplink, raw)) })
      for (const one of await messagesShared({ ...own, now: network.now }, received))
        if (!messages.has(one.id, one.from)) show(one)
    } catch (error) {
      failures.push(`${stanza.attrs['id']}: ${String(error)}`)
      throw error
    }
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
    await outbox.send(sent.chat, sent.raw, { id, ...editAttribute(sent.attrs), envelope, retry })
  }

  const failed = (error: unknown): void => log.debug({ err: error }, 'phone failed to handle a stanza')
  return {
    receive(stanza) {
      try {
        if (!isHandledAtOnce(stanza))
          void queue.run(() => network.snapshots.run(() => handleStanza(stanza))).catch(failed)
      } catch (error) {
        failed(error)
      }
    },
    receipts,
    presences,
    failures,
  }
}

/** A message that is viewed once, which its sender has not marked as such for the network. */
function isUnmarked(raw: Proto, nodes: readonly Stanza[]): boolean {
  return isViewOnce(raw) && !nodes.some(({ tag, attrs }) => tag === 'meta' && attrs['view_once'] === 'true')
}

/** It has the id of the post. */
function isEditedPost({ chat, attrs }: Pick<DecryptedMessage, 'chat' | 'attrs'>): boolean {
  return attrs['edit'] !== undefined && parseJid(chat)?.server === 'newsletter'
}
