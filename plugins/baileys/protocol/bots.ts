import type { BinaryNode, CacheStore, WASocket } from '@whiskeysockets/baileys'
import { gatewayError } from 'wamux/plugin'
import { isJidMetaAI, jidDecode, parseAndInjectE2ESessions } from '../baileys.ts'
import { iq, queryOf } from './query.ts'

export const isBot = (jid: string): boolean => isJidMetaAI(jid) === true

/**
 * Makes a bot reachable. A bot is a single device and has no list of devices: Baileys queries that list, gets none and
 * sends to no device; it also never fetches keys for `@bot` (Socket/messages-send.js relayMessage, assertSessions). So the
 * keys are fetched here, and the device is put into the cache that Baileys reads first.
 */
export async function reachBot(wa: WASocket, devices: CacheStore, bot: string): Promise<void> {
  const { signalRepository } = wa
  const { user = '' } = jidDecode(bot) ?? {}
  if (!(await signalRepository.validateSession(bot)).exists) {
    const bundle = await queryOf(wa)(bundleQuery(bot), "fetch the bot's keys")
    await parseAndInjectE2ESessions(bundle, signalRepository)
    if (!(await signalRepository.validateSession(bot)).exists) throw gatewayError('NOT_ON_NETWORK', [bot])
  }
  await devices.set(user, [{ user, server: 'bot', device: 0 }])
}

function bundleQuery(bot: string): BinaryNode {
  return iq('encrypt', 'get', { tag: 'key', attrs: {}, content: [{ tag: 'user', attrs: { jid: bot } }] })
}
