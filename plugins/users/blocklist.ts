import type { BinaryNode } from '@whiskeysockets/baileys'
import { child, children } from 'wamux/messaging'
import { gatewayError, type Socket } from 'wamux/plugin'

export interface Blocklist {
  DHash: string
  JIDs: string[]
}

export async function readBlocklist(socket: Socket): Promise<Blocklist> {
  const reply = await socket.query(
    { tag: 'iq', attrs: { xmlns: 'blocklist', type: 'get', to: 's.whatsapp.net' } },
    'read the block list',
  )
  return toBlocklist(socket, child(reply, 'list'))
}

/** The network stores the list by LID and requires the number too when blocking. */
export async function block(socket: Socket, jid: string): Promise<Blocklist> {
  const other = await otherForm(socket, jid)
  const [lid, phone] = jid.endsWith('@lid') ? [jid, other] : [other, jid]
  return change(socket, { action: 'block', jid: lid, pn_jid: phone }, 'block')
}

export async function unblock(socket: Socket, jid: string): Promise<Blocklist> {
  const lid = jid.endsWith('@lid') ? jid : await otherForm(socket, jid)
  return change(socket, { action: 'unblock', jid: lid }, 'unblock')
}

async function change(socket: Socket, attrs: Record<string, string>, verb: string): Promise<Blocklist> {
  const iq = { xmlns: 'blocklist', type: 'set', to: 's.whatsapp.net' }
  const reply = await socket.query({ tag: 'iq', attrs: iq, content: [{ tag: 'item', attrs }] }, verb)
  const list = child(reply, 'list')
  return list ? toBlocklist(socket, list) : readBlocklist(socket)
}

async function otherForm(socket: Socket, jid: string): Promise<string> {
  const other = await socket.altJid(jid)
  if (!other) throw gatewayError('NOT_ON_NETWORK', [jid])
  return other
}

async function toBlocklist(socket: Socket, list: BinaryNode | undefined): Promise<Blocklist> {
  const jids = children(list, 'item').map(({ attrs }) => attrs['jid'] ?? '')
  const phones = jids.map(async (jid) => (jid.endsWith('@lid') && (await socket.altJid(jid))) || jid)
  return { DHash: list?.attrs['dhash'] ?? '', JIDs: await Promise.all(phones) }
}
