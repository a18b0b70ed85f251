import type { AuthenticationCreds, BinaryNode } from '@whiskeysockets/baileys'
import type { Emit, Stage } from './stage.ts'

/**
 * Announces a new name without its @. Baileys writes the name into an attribute as it is
 * (Socket/socket.js, creds.update; its sendPresenceUpdate takes the @ out), where the encoder makes a JID of it
 * (WABinary/encode.js writeString): `me@` is one without a server, and the network ends the connection.
 */
export function fixPushName(
  creds: AuthenticationCreds,
  sendNode: (node: BinaryNode) => Promise<void>,
): Stage<Emit> {
  return (next) => (event, data) => {
    const name = event === 'creds.update' ? (data as Partial<AuthenticationCreds>).me?.name : undefined
    if (name?.includes('@') && creds.me && creds.me.name !== name) {
      // Stored already, so Baileys does not announce it.
      creds.me = { ...creds.me, name }
      const attrs = { name: name.replaceAll('@', '') }
      // A link that is closing; the next one announces the name when it opens.
      sendNode({ tag: 'presence', attrs }).catch(() => undefined)
    }
    return next(event, data)
  }
}
