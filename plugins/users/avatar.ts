import { ask, child, networkCodeOf } from 'wamux/messaging'
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
  const token = (await socket.givenTokens([jid], 'picture')).get(jid)
  const proof = token ? { content: [{ tag: 'tctoken', attrs: {}, content: token }] } : {}
  const content = { tag: 'picture', attrs: { type, query: 'url' }, ...proof }
  const question = { xmlns: 'w:profile:picture', attrs: { target: jid }, content, verb: 'read the picture' }
  const reply = await ask(socket, question).catch((error: unknown) => {
    throw networkCodeOf(error) === 404 ? gatewayError('AVATAR_UNKNOWN', [], { cause: error }) : error
  })
  const picture = child(reply, 'picture')?.attrs
  if (!picture?.['url']) throw gatewayError('AVATAR_UNKNOWN')
  const { url, id = '', direct_path: DirectPath = '' } = picture
  return { URL: url, ID: id, Type: picture['type'] ?? type, DirectPath, url, id }
}
