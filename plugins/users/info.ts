import type { BinaryNode } from '@whiskeysockets/baileys'
import { askUsers, child, children, Jid, textOf } from 'wamux/messaging'
import type { GatewayServices, Socket } from 'wamux/plugin'
import { PROTOCOLS, verifiedName } from './usync.ts'

export interface UserInfo {
  VerifiedName: string
  /** The about text; '' if there is none or it is hidden. */
  Status: string
  PictureID: string
  Devices: string[]
  LID: string
  /** Without @; absent if there is none. */
  Username?: string
}

/** The public profiles of people, by requested JID. Those of people who are not on the network are empty. */
export async function infoOf(
  socket: Socket,
  wire: GatewayServices['wire'],
  jids: readonly string[],
): Promise<Record<string, UserInfo>> {
  const tokens = await socket.givenTokens(jids, 'about')
  const users = jids.map((jid) => {
    const content = tokens.get(jid)
    const proof = content ? { content: [{ tag: 'tctoken', attrs: {}, content }] } : {}
    return { tag: 'user', attrs: { jid }, ...proof }
  })
  const protocols = [
    PROTOCOLS.business,
    PROTOCOLS.status,
    PROTOCOLS.picture,
    PROTOCOLS.devices,
    PROTOCOLS.lid,
    PROTOCOLS.username,
  ]
  const found = await askUsers(socket, protocols, users, 'look the users up')
  const toEntry = (jid: string): [string, UserInfo] => {
    const user = found.find(({ attrs }) => attrs['jid'] === jid)
    return [jid, toInfo(wire, jid, user)]
  }
  return Object.fromEntries(jids.map(toEntry))
}

function toInfo(wire: GatewayServices['wire'], jid: string, user: BinaryNode | undefined): UserInfo {
  const username = textOf(child(user, 'username'))
  const devices = children(child(child(user, 'devices'), 'device-list'), 'device')
  return {
    VerifiedName: verifiedName(wire, user),
    Status: textOf(child(user, 'status')),
    PictureID: child(user, 'picture')?.attrs['id'] ?? '',
    Devices: devices.map(({ attrs }) => withDevice(jid, attrs['id'] ?? '0')),
    LID: Jid.isLid(jid) ? jid : (child(user, 'lid')?.attrs['val'] ?? ''),
    ...(username ? { Username: username } : {}),
  }
}

function withDevice(jid: string, device: string): string {
  return device === '0' ? jid : jid.replace('@', `:${device}@`)
}
