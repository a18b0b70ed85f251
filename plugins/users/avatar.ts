import type { BinaryNode } from '@whiskeysockets/baileys'
import { child, isPersonJid, networkCodeOf } from 'wamux/messaging'
import { gatewayError, type Socket } from 'wamux/plugin'

export interface Avatar {
  URL: string
  ID: string
  Type: string
  DirectPath: string
  url: string
  id: string
}

/** The location of a profile picture. Rejects AVATAR_UNKNOWN if there is none, NETWORK_FORBIDDEN if it is hidden. */
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
      throw networkCodeOf(error) === 404 ? gatewayError('AVATAR_UNKNOWN', [], { cause: error }) : error
    })
  const picture = child(reply, 'picture')?.attrs
  if (!picture?.['url']) throw gatewayError('AVATAR_UNKNOWN')
  const { url, id = '', direct_path: DirectPath = '' } = picture
  return { URL: url, ID: id, Type: picture['type'] ?? type, DirectPath, url, id }
}

/** The token by which a person trusts the account, required if only contacts may see the picture (Baileys Utils/tc-token-utils.js). */
async function tokenOf(socket: Socket, jid: string): Promise<BinaryNode[]> {
  if (!isPersonJid(jid)) return []
  const lid = jid.endsWith('@lid') ? jid : (await socket.altJid(jid)) || jid
  const { [lid]: entry } = await socket.wa.authState.keys.get('tctoken', [lid])
  const { token, timestamp } = entry ?? {}
  return token?.length && timestamp
    ? [{ tag: 'tctoken', attrs: { t: String(timestamp) }, content: token }]
    : []
}
