import type { GroupMetadata, WASocket } from '@whiskeysockets/baileys'
import { gatewayError } from 'wamux/plugin'
import { isJidBroadcast, isJidGroup, isJidNewsletter, isLidUser, jidNormalizedUser } from '../baileys.ts'
import { refusalOf } from '../protocol/refusal.ts'

export interface FrameSizeParts {
  wa: WASocket
  groupOf(jid: string): Promise<GroupMetadata | undefined>
}

export interface Sized {
  chat: string
  /** Bytes of the encoded message, before padding and encryption. */
  size: number
  /** Recipients of a status@broadcast post. */
  audience?: readonly string[] | undefined
  /** The field of the request that determines the size. */
  field?: string | undefined
}

/**
 * The maximum size of a stanza: a Noise frame has a three-byte length, and 16 bytes are its tag. Unpatched Baileys
 * truncates a longer length (Utils/noise-handler.js encodeFrame); the network can't read that frame or any later one, and
 * closes the link.
 */
const FRAME_BYTES = 2 ** 24 - 1 - 16
/**
 * Measured on the local network with first messages (`pkmsg`, the longest ones): 284 bytes for each device's copy of a
 * sender key, including addresses; 180 bytes of overhead per copy of a message (padding of both layers, keys, MAC,
 * address); 300 for the rest of a stanza (attributes, device identity). Doubled, to allow for longer addresses, the chat's
 * name in the copy for an own device, tokens, and extra nodes.
 */
const STANZA_BYTES = 16_384
const COPY_BYTES = 512
const KEY_BYTES = 512
/** A message up to this size fits with 60 devices, more than two people can have. */
const SMALL_DIRECT = 256 * 1024
/** A message up to this size fits with 30,000 devices, more than the largest community (5,000 members) has. */
const SMALL_GROUP = 1024 * 1024
const SMALL_AUDIENCE = 5_000

/**
 * Rejects MESSAGE_TOO_LARGE for a message that doesn't fit into a frame with all its copies. relayMessage
 * (Socket/messages-send.js) makes one copy for each device of both sides except this one for a person; one shared copy and
 * a sender key for each device for a group or a status post; one copy for a newsletter.
 */
export async function assertFits(parts: FrameSizeParts, sized: Sized): Promise<void> {
  if (isSmall(sized)) return
  const { chat, size, field = 'The message' } = sized
  const devices = await countDevices(parts, sized)
  const limit = Math.max(0, isShared(chat) ? maxShared(devices) : maxDirect(devices))
  if (size > limit) throw gatewayError('MESSAGE_TOO_LARGE', [field, size, devices, limit])
}

function isSmall({ chat, size, audience = [] }: Sized): boolean {
  return size <= (isShared(chat) ? SMALL_GROUP : SMALL_DIRECT) && audience.length <= SMALL_AUDIENCE
}

function isShared(chat: string): boolean {
  return isJidGroup(chat) === true || isJidBroadcast(chat) === true
}

function maxShared(devices: number): number {
  return FRAME_BYTES - STANZA_BYTES - COPY_BYTES - devices * KEY_BYTES
}

function maxDirect(copies: number): number {
  return Math.floor((FRAME_BYTES - STANZA_BYTES) / copies) - COPY_BYTES
}

/** Baileys then looks up the same devices and finds them in its cache. */
async function countDevices(
  { wa, groupOf }: FrameSizeParts,
  { chat, audience = [] }: Sized,
): Promise<number> {
  if (isJidNewsletter(chat)) return 1
  const devices = await wa.getUSyncDevices(await usersOf(), true, false).catch((error: unknown) => {
    throw refusalOf(error, 'look up the recipients')
  })
  const { id = '', lid = '' } = wa.user ?? {}
  // By LID, Baileys lists this device, too (Utils/signal.js extractDeviceJids).
  const others = devices.filter(({ jid }) => jid !== id && jid !== lid)
  return Math.max(1, new Set(others.map(({ jid }) => jid)).size)

  async function usersOf(): Promise<string[]> {
    if (isJidBroadcast(chat)) return [...audience]
    if (isJidGroup(chat)) return ((await groupOf(chat))?.participants ?? []).map(({ id }) => id)
    const { id, lid } = wa.user ?? {}
    return [jidNormalizedUser((isLidUser(chat) && lid) || id), chat]
  }
}
