import type { BinaryNode } from '@whiskeysockets/baileys'
import { ask, child, children, Jid, node } from 'wamux/messaging'
import { gatewayError, type Socket } from 'wamux/plugin'

export interface Blocklist {
  DHash: string
  JIDs: string[]
}

export async function readBlocklist(socket: Socket): Promise<Blocklist> {
  const reply = await ask(socket, { xmlns: 'blocklist', verb: 'read the block list' })
  return toBlocklist(socket, child(reply, 'list'))
}

/**
 * The network stores the list by LID. When blocking it requires the number, too, or that it is not known (zapo
 * transport/node/builders/privacy.ts).
 */
export async function block(socket: Socket, jid: string): Promise<Blocklist> {
  if (!Jid.isLid(jid)) {
    return change(socket, { action: 'block', jid: await lidOf(socket, jid), pn_jid: jid }, 'block')
  }
  const phone = await socket.altJid(jid)
  const named = phone ? { pn_jid: phone } : { unknown_identifier: 'true' }
  return change(socket, { action: 'block', jid, ...named }, 'block')
}

export async function unblock(socket: Socket, jid: string): Promise<Blocklist> {
  const lid = Jid.isLid(jid) ? jid : await lidOf(socket, jid)
  return change(socket, { action: 'unblock', jid: lid }, 'unblock')
}

async function change(socket: Socket, attrs: Record<string, string>, verb: string): Promise<Blocklist> {
  const reply = await ask(socket, { xmlns: 'blocklist', type: 'set', content: node('item', attrs), verb })
  const list = child(reply, 'list')
  return list ? toBlocklist(socket, list) : readBlocklist(socket)
}

/** Rejects NOT_ON_NETWORK. */
export async function lidOf(socket: Socket, jid: string): Promise<string> {
  const lid = await socket.altJid(jid)
  if (!lid) throw gatewayError('NOT_ON_NETWORK', [jid])
  return lid
}

async function toBlocklist(socket: Socket, list: BinaryNode | undefined): Promise<Blocklist> {
  const jids = children(list, 'item').map(({ attrs }) => attrs['jid'] ?? '')
  const phones = jids.map(async (jid) => (Jid.isLid(jid) && (await socket.altJid(jid))) || jid)
  return { DHash: list?.attrs['dhash'] ?? '', JIDs: await Promise.all(phones) }
}
