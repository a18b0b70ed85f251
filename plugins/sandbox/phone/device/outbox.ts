import { randomBytes } from 'node:crypto'
import type { Slot } from '../../snapshots.ts'
import { bare, child, children, el, parseJid, withDevice } from '../../stanza.ts'
import type { Account, Stanza, Uplink } from '../../types.ts'
import type { Proto } from '../messages/compose.ts'
import { isOwn } from './inbox.ts'
import type { PhoneKeys } from './keys.ts'

export interface OutboxParts {
  account: Account
  keys: PhoneKeys
  uplink: Uplink
  slot: Slot
  encode(message: Proto | Record<string, unknown>): Uint8Array
}

export interface SendExtras {
  id?: string
  edit?: string
  /** Resend to this device only, in answer to its retry receipt with this count. */
  retry?: { device: string; count: string }
}

export interface Outbox {
  /**
   * Encrypts for every device of the chat and the own account, and sends. Newsletter posts are not
   * encrypted.
   */
  send(chat: string, message: Proto, extras?: SendExtras): Promise<string>
  /** Sends a protocol message to an own companion: key shares, history. */
  peer(companion: string, message: Record<string, unknown>): Promise<void>
}

export function createOutbox({ account, keys, uplink, slot, encode }: OutboxParts): Outbox {
  /** Devices that have the sender key, by group. */
  const senderKeyHolders = slot('holders of sender keys', () => new Map<string, Set<string>>())

  async function encrypt(device: string, plain: Uint8Array): Promise<Stanza> {
    const { type, ciphertext } = await keys.sessions.encrypt(device, pad(plain))
    return el('enc', { v: 2, type }, ciphertext)
  }

  async function encryptFor(devices: readonly string[], plain: Uint8Array): Promise<Stanza[]> {
    const open = await keys.openSessions(devices)
    const nodes: Stanza[] = []
    for (const jid of open) nodes.push(el('to', { jid }, [await encrypt(jid, plain)]))
    return nodes
  }

  async function encryptDirect(chat: string, message: Proto): Promise<Stanza[]> {
    const own = await devicesOf(uplink, [account.lid])
    const recipients = chat.endsWith('@bot') ? [chat] : await devicesOf(uplink, [chat])
    const ownCompanions = own.filter((jid) => parseJid(jid)?.device !== 0)
    const copy = encode({ deviceSentMessage: { destinationJid: chat, message } })
    return [...(await encryptFor(recipients, encode(message))), ...(await encryptFor(ownCompanions, copy))]
  }

  async function encryptGroup(chat: string, message: Proto): Promise<Stanza[]> {
    const members = await membersOf(uplink, chat)
    const devices = (await devicesOf(uplink, members)).filter(
      (jid) => bare(jid) !== account.lid || parseJid(jid)?.device !== 0,
    )
    const { ciphertext, distribution } = keys.senderKeys.encrypt(chat, pad(encode(message)))
    const holders = senderKeyHolders.get(chat) ?? new Set<string>()
    senderKeyHolders.set(chat, holders)
    const withoutKey = devices.filter((jid) => !holders.has(jid))
    const share = encode({
      senderKeyDistributionMessage: {
        groupId: chat,
        axolotlSenderKeyDistributionMessage: distribution,
      },
    })
    const nodes = await encryptFor(withoutKey, share)
    for (const jid of withoutKey) holders.add(jid)
    return [el('participants', {}, nodes), el('enc', { v: 2, type: 'skmsg' }, ciphertext)]
  }

  return {
    async send(chat, message, { id = newId(), edit, retry } = {}) {
      const isGroup = parseJid(chat)?.server === 'g.us'
      const attrs = { id, type: typeOf(message), edit, ...(isGroup ? { addressing_mode: 'lid' } : {}) }
      if (retry) {
        const isOwnCopy = !isGroup && isOwn(account, retry.device)
        const copy = { deviceSentMessage: { destinationJid: chat, message } }
        const enc = await encrypt(retry.device, encode(isOwnCopy ? copy : message))
        enc.attrs['count'] = retry.count
        const to = isGroup
          ? { to: chat, participant: retry.device }
          : { to: retry.device, device_fanout: 'false', recipient: isOwnCopy ? chat : undefined }
        uplink.send(el('message', { ...attrs, ...to }, [enc]))
        return id
      }
      if (parseJid(chat)?.server === 'newsletter') {
        uplink.send(
          el('message', { ...attrs, to: chat }, [el('plaintext', {}, Buffer.from(encode(message)))]),
        )
        return id
      }
      const content = isGroup
        ? await encryptGroup(chat, message)
        : [el('participants', {}, await encryptDirect(chat, message))]
      uplink.send(el('message', { ...attrs, to: chat }, content))
      return id
    },
    async peer(companion, message) {
      await keys.openSessions([companion])
      const device = parseJid(companion)?.device ?? 0
      const attrs = {
        id: newId(),
        to: withDevice(account.jid, device),
        type: 'text',
        category: 'peer',
        device_fanout: 'false',
      }
      uplink.send(el('message', attrs, [await encrypt(companion, encode(message))]))
    },
  }
}

/** All devices of the users by LID, the form under which sessions are stored. */
export async function devicesOf(uplink: Uplink, users: readonly string[]): Promise<string[]> {
  const list = el(
    'list',
    {},
    users.map((jid) => el('user', { jid })),
  )
  const query = el('usync', { mode: 'query', context: 'message' }, [
    el('query', {}, [el('devices'), el('lid')]),
    list,
  ])
  const reply = await uplink.query(el('iq', { xmlns: 'usync', type: 'get', to: 's.whatsapp.net' }, [query]))
  return children(child(child(reply, 'usync'), 'list'), 'user').flatMap((user) => {
    const lid = child(user, 'lid')?.attrs['val'] ?? user.attrs['jid'] ?? ''
    const devices = children(child(child(user, 'devices'), 'device-list'), 'device')
    return devices.map(({ attrs }) => withDevice(lid, Number(attrs['id'] ?? 0)))
  })
}

async function membersOf(uplink: Uplink, group: string): Promise<string[]> {
  const reply = await uplink.query(
    el('iq', { xmlns: 'w:g2', type: 'get', to: group }, [el('query', { request: 'interactive' })]),
  )
  return children(child(reply, 'group'), 'participant').map(({ attrs }) => attrs['jid'] ?? '')
}

/** Appends 1 to 16 bytes, each with the value of their count. */
function pad(plain: Uint8Array): Buffer {
  const size = ((randomBytes(1)[0] ?? 0) % 16) + 1
  return Buffer.concat([plain, Buffer.alloc(size, size)])
}

function typeOf(message: Proto): string {
  if (message.reactionMessage) return 'reaction'
  if (message.pollCreationMessage || message.pollCreationMessageV3 || message.pollUpdateMessage) return 'poll'
  const media =
    message.imageMessage ||
    message.videoMessage ||
    message.audioMessage ||
    message.documentMessage ||
    message.stickerMessage
  return media ? 'media' : 'text'
}

export function newId(): string {
  return `3A${randomBytes(9).toString('hex').toUpperCase()}`
}
