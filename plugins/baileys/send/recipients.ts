import type { CacheStore, WASocket } from '@whiskeysockets/baileys'
import { gatewayError, isGatewayError } from 'wamux/plugin'
import { isJidBroadcast, isJidGroup, isJidNewsletter, isLidUser, isPnUser, jidDecode } from '../baileys.ts'
import { isBot, reachBot } from '../protocol/bots.ts'
import { refusalOf } from '../protocol/refusal.ts'
import type { AddressSpace } from './address-space.ts'

interface Recipients {
  chat: string
  address: string
  /** Recipients of a status post. */
  audience?: readonly string[] | undefined
}

/**
 * Rejects if a chat has no recipient. Baileys resolves a send to a number that is not on the network after encrypting only
 * the copy for the own phone, and accepts malformed JIDs (Socket/messages-send.js relayMessage).
 */
async function assertReachable(
  wa: WASocket,
  devices: CacheStore,
  { chat, address, audience }: Recipients,
): Promise<void> {
  if (isBot(chat)) return reachBot(wa, devices, chat)
  if (isJidGroup(chat) || isJidNewsletter(chat)) return
  if (isJidBroadcast(chat)) {
    if (!audience?.length) throw gatewayError('FIELD_MISSING', ['StatusJidList'])
    return
  }
  if (!isPnUser(chat) && !isLidUser(chat)) throw gatewayError('PHONE_INVALID', [chat])
  const user = jidDecode(address)?.user
  const found = await wa.getUSyncDevices([address], true, false).catch((error: unknown) => {
    throw refusalOf(error, 'look up the recipient')
  })
  if (!found.some((device) => device.user === user)) throw gatewayError('NOT_ON_NETWORK', [chat])
}

/** Who a message goes to. */
interface Reached {
  /** As given, or by the number that the network knows where the chat was given by another spelling of it. */
  chat: string
  /** The chat as its messages name it on the wire. */
  address: string
}

/**
 * Rejects if the chat has no recipient. A LID that is not on the network, as an old one of the history may be, is looked up
 * again, and so is a number that no look-up of a LID could have corrected.
 */
export async function reach(
  wa: WASocket,
  devices: CacheStore,
  space: Pick<AddressSpace, 'address' | 'refresh' | 'isLid' | 'nameOf'>,
  chat: string,
  audience?: readonly string[],
): Promise<Reached> {
  const address = await space.address(chat)
  try {
    await assertReachable(wa, devices, { chat, address, audience })
    return { chat: await space.nameOf(chat), address }
  } catch (error) {
    const isLookedUp = address === chat && (space.isLid() || !isPnUser(chat))
    if (isLookedUp || !isGatewayError(error) || error.code !== 'NOT_ON_NETWORK') throw error
    await space.refresh(chat)
    const next = await space.address(chat)
    if (next === address) throw error
    await assertReachable(wa, devices, { chat, address: next, audience })
    return { chat: await space.nameOf(chat), address: next }
  }
}
