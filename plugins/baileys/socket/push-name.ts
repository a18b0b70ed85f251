import type { AuthenticationCreds, BinaryNode } from '@whiskeysockets/baileys'
import type { Emit, Stage } from './stage.ts'

/**
 * Announces a new name without its @. Baileys writes the name unchanged into an attribute (Socket/socket.js creds.update;
 * its sendPresenceUpdate removes the @), which the encoder turns into a JID (WABinary/encode.js writeString): `me@` has no
 * server, and the network ends the connection.
 */
export function fixPushName(
  creds: AuthenticationCreds,
  sendNode: (node: BinaryNode) => Promise<void>,
): Stage<Emit> {
  return (next) => (event, data) => {
    const name = event === 'creds.update' ? (data as Partial<AuthenticationCreds>).me?.name : undefined
    if (name?.includes('@') && creds.me && creds.me.name !== name) {
      // Baileys does not announce a name that is already stored.
      creds.me = { ...creds.me, name }
      const attrs = { name: name.replaceAll('@', '') }
      // Fails on a closing link; the next one announces the name when it opens.
      sendNode({ tag: 'presence', attrs }).catch(() => undefined)
    }
    return next(event, data)
  }
}
