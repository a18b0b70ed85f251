import type { BinaryNode, CacheStore, WASocket } from '@whiskeysockets/baileys'
import { gatewayError } from 'wamux/plugin'
import { isJidMetaAI, jidDecode, parseAndInjectE2ESessions } from '../baileys.ts'
import { queryOf } from './query.ts'

export const isBot = (jid: string): boolean => isJidMetaAI(jid) === true

/**
 * Makes a bot reachable. A bot has no list of devices, only itself; Baileys asks for one, gets none and sends to
 * nobody, and it never fetches keys for `@bot` (Socket/messages-send.js relayMessage, assertSessions). So its keys
 * are fetched here, and its one device entered where Baileys looks first.
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
  const key = { tag: 'key', attrs: {}, content: [{ tag: 'user', attrs: { jid: bot } }] }
  return { tag: 'iq', attrs: { xmlns: 'encrypt', type: 'get', to: 's.whatsapp.net' }, content: [key] }
}
