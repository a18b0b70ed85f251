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
  /** Who receives a status@broadcast post. */
  audience?: readonly string[] | undefined
  /** Of the request, the field that the size comes from. */
  field?: string | undefined
}

/**
 * What a stanza can have: the length of a Noise frame has three bytes, and 16 bytes are its tag. Stock rc14 cuts the
 * length off where it needs more (Utils/noise-handler.js encodeFrame); the network can't read that frame, nor any
 * after it, and closes the link.
 */
const FRAME_BYTES = 2 ** 24 - 1 - 16
/**
 * Measured on the local network with first messages (`pkmsg`, which are the longest): 284 bytes for each device's copy
 * of a sender key, addresses and all; 180 for a copy beside its message (padding of both layers, keys, MAC, address);
 * 300 for the rest of a stanza (attributes, device identity). Doubled, for longer addresses, the copy of an own device,
 * which holds the chat's name too, tokens, and nodes of the sender's own.
 */
const STANZA_BYTES = 16_384
const COPY_BYTES = 512
const KEY_BYTES = 512
/** A message up to this size fits with 60 devices of two people; nobody has so many. */
const SMALL_DIRECT = 256 * 1024
/** A message up to this size fits with 30,000 devices: a community of 5,000, the largest, has fewer. */
const SMALL_GROUP = 1024 * 1024
const SMALL_AUDIENCE = 5_000

/**
 * Rejects MESSAGE_TOO_LARGE for a message that doesn't fit into a frame with all its copies. As relayMessage
 * makes them (Socket/messages-send.js): to a person, one copy for each device of both sides but this one; to a group
 * or as a status post, one copy for all, and a sender key for each device; to a newsletter, one.
 */
export async function assertFits(parts: FrameSizeParts, sized: Sized): Promise<void> {
  if (isSmall(sized)) return
  const { chat, size, field = 'The message' } = sized
  const devices = await countDevices(parts, sized)
  const most = Math.max(0, isShared(chat) ? mostShared(devices) : mostDirect(devices))
  if (size > most) throw gatewayError('MESSAGE_TOO_LARGE', [field, size, devices, most])
}

function isSmall({ chat, size, audience = [] }: Sized): boolean {
  return size <= (isShared(chat) ? SMALL_GROUP : SMALL_DIRECT) && audience.length <= SMALL_AUDIENCE
}

function isShared(chat: string): boolean {
  return isJidGroup(chat) === true || isJidBroadcast(chat) === true
}

function mostShared(devices: number): number {
  return FRAME_BYTES - STANZA_BYTES - COPY_BYTES - devices * KEY_BYTES
}

function mostDirect(copies: number): number {
  return Math.floor((FRAME_BYTES - STANZA_BYTES) / copies) - COPY_BYTES
}

/** Baileys asks for the same devices right after this, and finds them in its cache. */
async function countDevices(
  { wa, groupOf }: FrameSizeParts,
  { chat, audience = [] }: Sized,
): Promise<number> {
  if (isJidNewsletter(chat)) return 1
  const devices = await wa.getUSyncDevices(await usersOf(), true, false).catch((error: unknown) => {
    throw refusalOf(error, 'look up the recipients')
  })
  return Math.max(1, devices.length)

  async function usersOf(): Promise<string[]> {
    if (isJidBroadcast(chat)) return [...audience]
    if (isJidGroup(chat)) return ((await groupOf(chat))?.participants ?? []).map(({ id }) => id)
    const { id, lid } = wa.user ?? {}
    return [jidNormalizedUser((isLidUser(chat) && lid) || id), chat]
  }
}
