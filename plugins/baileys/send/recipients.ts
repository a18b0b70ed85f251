import type { CacheStore, WASocket } from '@whiskeysockets/baileys'
import { gatewayError } from 'wamux/plugin'
import { isJidBroadcast, isJidGroup, isJidNewsletter, isLidUser, isPnUser, jidDecode } from '../baileys.ts'
import { isBot, reachBot } from '../protocol/bots.ts'
import { refusalOf } from '../protocol/refusal.ts'

/**
 * Rejects if a chat has no recipient. Baileys resolves a send to a number that is not on the network, with only the own
 * phone's copy encrypted, and accepts malformed JIDs (Socket/messages-send.js relayMessage).
 */
export async function assertReachable(
  wa: WASocket,
  devices: CacheStore,
  chat: string,
  audience: readonly string[] | undefined,
): Promise<void> {
  if (isBot(chat)) return reachBot(wa, devices, chat)
  if (isJidGroup(chat) || isJidNewsletter(chat)) return
  if (isJidBroadcast(chat)) {
    if (!audience?.length) throw gatewayError('FIELD_MISSING', ['StatusJidList'])
    return
  }
  if (!isPnUser(chat) && !isLidUser(chat)) throw gatewayError('PHONE_INVALID', [chat])
  const user = jidDecode(chat)?.user
  const found = await wa.getUSyncDevices([chat], true, false).catch((error: unknown) => {
    throw refusalOf(error, 'look up the recipient')
  })
  if (!found.some((device) => device.user === user)) throw gatewayError('NOT_ON_NETWORK', [chat])
}
