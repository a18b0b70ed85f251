import { createHash } from 'node:crypto'
import type { GroupMetadata, WASocket } from '@whiskeysockets/baileys'
import { createKeyedQueue } from 'wamux/plugin'
import { areJidsSameUser, isJidGroup, isLidUser, jidDecode, jidNormalizedUser } from '../baileys.ts'
import type { Built } from '../protocol/built.ts'
import { isHostedDevice } from '../protocol/business/hosted-jid.ts'
import { isPerson } from '../protocol/chat-timer.ts'
import type { Me } from '../protocol/signals.ts'
import { createCache } from '../socket/cache.ts'
import type { Addressed } from '../socket/devices/addressed.ts'
import type { DeviceCache } from '../socket/devices/device-cache.ts'
import type { Relay } from '../socket/relay.ts'
import type { Ack } from './acks.ts'
import type { PrivacyToken } from './tokens/privacy-tokens.ts'

export interface ParticipantParts {
  wa: Pick<WASocket, 'getUSyncDevices'>
  relay: Relay
  devices: DeviceCache
  addressed: Addressed
  privacyToken: PrivacyToken
  groupOf(jid: string): Promise<GroupMetadata | undefined>
  /** The members of the group have to be queried. */
  forgetGroup(jid: string): void
  me(): Me
}

/**
 * Compares the devices that a message was encrypted for with those that the network knows, which names their hash in the ack.
 * That is how a sender learns of a device whose notification it has missed.
 *
 * A message to a person is sent again, under its id, to the devices that were missed on either side. A message to a group is not:
 * all devices get it from the network, and one without the sender key asks for it. Of a group the members and their devices are
 * queried again, so that the next message brings the key.
 */
export interface Participants {
  /** The `phash` attribute of a message to a group; none for other chats. */
  attributesOf(chat: string): Promise<{ phash?: string }>
  /** Resolves when the devices are known again and the message is sent to those that were missed. */
  compare(built: Built, ack: Ack): Promise<void>
}

const MAX_CHATS = 1_000
const DAY_MS = 24 * 3_600_000

export function createParticipants(parts: ParticipantParts): Participants {
  const { wa, relay, devices, addressed, privacyToken, groupOf, forgetGroup, me } = parts
  const chats = createKeyedQueue()
  const hashes = new WeakMap<GroupMetadata, { version: number; hash: string }>()
  /** The last devices of a chat with a person, and their hash. */
  const directs = createCache<{ names: string; hash: string }>(MAX_CHATS, DAY_MS)
  /** Hashes of the network, by chat, that a look-up could not reproduce: a further one would not either. */
  const unexplained = createCache<string>(MAX_CHATS, DAY_MS)

  async function lookUp(users: readonly string[], isCached: boolean): Promise<string[]> {
    const found = await wa.getUSyncDevices([...users], isCached, false)
    return found.map(({ jid }) => jid)
  }

  async function hashOfGroup(group: GroupMetadata): Promise<string> {
    const known = hashes.get(group)
    if (known?.version === devices.version) return known.hash
    const members = await lookUp(membersOf(group), true)
    const own = group.addressingMode === 'pn' ? me().id : me().lid
    // Hosted devices take no part in the encryption of groups.
    const hash = participantHash([...members.filter((jid) => !isHostedDevice(jid)), own])
    hashes.set(group, { version: devices.version, hash })
    return hash
  }

  async function repairGroup(chat: string, hash: string): Promise<void> {
    forgetGroup(chat)
    const group = await groupOf(chat)
    if (!group) return
    await lookUp(membersOf(group), false)
    if ((await hashOfGroup(group)) !== hash) unexplained.set(chat, hash)
  }

  /** All devices of both sides but this one; a message before this one may have looked them up. */
  async function devicesOfChat(chat: string, hash: string): Promise<string[]> {
    const { id, lid } = me()
    const users = [chat, jidNormalizedUser(isLidUser(chat) ? lid : id)]
    const others = async (isCached: boolean): Promise<string[]> =>
      (await lookUp(users, isCached)).filter((jid) => jid !== id && jid !== lid)
    const known = await others(true)
    if (participantHash(known) === hash) return known
    const found = await others(false)
    if (participantHash(found) !== hash) unexplained.set(chat, hash)
    return found
  }

  async function sendTo(device: string, { id, chat, message }: Built, address: string): Promise<void> {
    const isOwn = [me().id, me().lid].some((jid) => areJidsSameUser(jid, device))
    const token = isOwn ? undefined : await privacyToken(chat)
    await relay(address, message, {
      messageId: id,
      participant: { jid: device, count: 1 },
      // Baileys names the chat of a copy only to own devices by number.
      additionalAttributes: isOwn ? { recipient: address } : {},
      additionalNodes: token ? [token] : [],
    })
  }

  async function repairDirect(built: Built, address: string, hash: string): Promise<void> {
    const reached = new Set(addressed.of(built.message))
    const missed = (await devicesOfChat(address, hash)).filter((jid) => !reached.has(jid))
    for (const device of missed) await sendTo(device, built, address)
  }

  function hashOfDirect(chat: string, reached: ReadonlySet<string>): string {
    const names = [...reached].join()
    const known = directs.get(chat)
    if (known?.names === names) return known.hash
    const hash = participantHash(reached)
    directs.set(chat, { names, hash })
    return hash
  }

  function compareDirect(built: Built, address: string, hash: string): Promise<void> | undefined {
    const reached = addressed.of(built.message)
    return reached.size > 0 && hashOfDirect(built.chat, reached) !== hash
      ? repairDirect(built, address, hash)
      : undefined
  }

  return {
    async attributesOf(chat) {
      const group = isJidGroup(chat) ? await groupOf(chat) : undefined
      return group ? { phash: await hashOfGroup(group) } : {}
    },
    compare: (built, { phash: hash, address = built.chat }) =>
      chats.run(built.chat, async () => {
        const { chat } = built
        if (!hash || unexplained.get(chat) === hash) return
        if (isJidGroup(chat)) await repairGroup(chat, hash)
        else if (isPerson(chat)) await compareDirect(built, address, hash)
      }),
  }
}

function membersOf({ participants }: GroupMetadata): string[] {
  return participants.map(({ id }) => id)
}

const HASHED_BYTES = 6

/**
 * The hash by which clients and network compare the devices of a message (`phash`): SHA-256 of their JIDs, sorted, with device 0
 * and the agent written out (`user.0:0@lid`), of which the first six bytes in Base64 (whatsmeow send.go participantListHashV2,
 * zapo message/crypto/phash.ts). Baileys' own is another one: shorter, and of the JIDs as they are (Utils/generics.js).
 *
 * @param jids of devices, in any order.
 */
export function participantHash(jids: Iterable<string>): string {
  const names = [...new Set(jids)].map((jid) => {
    const { user = '', device = 0, server = '' } = jidDecode(jid) ?? {}
    return `${user}.0:${device}@${server}`
  })
  const digest = createHash('sha256').update(names.sort().join('')).digest()
  return `2:${digest.subarray(0, HASHED_BYTES).toString('base64')}`
}
