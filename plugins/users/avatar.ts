import type { BinaryNode } from '@whiskeysockets/baileys'
import { gatewayError, isGatewayError, type Socket } from 'wamux/plugin'
import { child } from './node.ts'

export interface Avatar {
  URL: string
  ID: string
  Type: string
  DirectPath: string
  url: string
  id: string
}

/** Where somebody's picture is. Rejects AVATAR_UNKNOWN where there is none, NETWORK_FORBIDDEN where it is hidden. */
export async function avatarOf(socket: Socket, jid: string, isPreview: boolean): Promise<Avatar> {
  const type = isPreview ? 'preview' : 'image'
  const content = await tokenOf(socket, jid)
  const reply = await socket
    .query(
      {
        tag: 'iq',
        attrs: { xmlns: 'w:profile:picture', type: 'get', to: 's.whatsapp.net', target: jid },
        content: [{ tag: 'picture', attrs: { type, query: 'url' }, content }],
      },
      'read the picture',
    )
    .catch((error: unknown) => {
      throw isMissing(error) ? gatewayError('AVATAR_UNKNOWN', [], { cause: error }) : error
    })
  const picture = child(reply, 'picture')?.attrs
  if (!picture?.['url']) throw gatewayError('AVATAR_UNKNOWN')
  const { url, id = '', direct_path: DirectPath = '' } = picture
  return { URL: url, ID: id, Type: picture['type'] ?? type, DirectPath, url, id }
}

/** What this person gave the account to show where only contacts may look (Baileys Utils/tc-token-utils.js). */
async function tokenOf(socket: Socket, jid: string): Promise<BinaryNode[]> {
  if (!/@(s\.whatsapp\.net|lid)$/.test(jid)) return []
  const lid = jid.endsWith('@lid') ? jid : (await socket.altJid(jid)) || jid
  const { [lid]: entry } = await socket.wa.authState.keys.get('tctoken', [lid])
  const { token, timestamp } = entry ?? {}
  return token?.length && timestamp
    ? [{ tag: 'tctoken', attrs: { t: String(timestamp) }, content: token }]
    : []
}

/** The network's own 404 is the cause of what a query rejects with. */
function isMissing(error: unknown): boolean {
  return isGatewayError(error) && (error.cause as { data?: unknown } | undefined)?.data === 404
}
