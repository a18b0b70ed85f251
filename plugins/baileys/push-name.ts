import type { WASocket } from '@whiskeysockets/baileys'

/**
 * Tells the network of a new name without its @. Baileys writes the name into an attribute as it is
 * (Socket/socket.js, creds.update; its sendPresenceUpdate takes the @ out), where the encoder makes a JID of it
 * (WABinary/encode.js writeString): `me@` is one without a server, and the network ends the connection.
 */
export function mendPushName(wa: WASocket): void {
  const { emit } = wa.ev
  const { creds } = wa.authState
  wa.ev.emit = (event, data) => {
    const name = event === 'creds.update' ? (data as Partial<typeof creds>).me?.name : undefined
    if (name?.includes('@') && creds.me && creds.me.name !== name) {
      // Known already, so Baileys says nothing.
      creds.me = { ...creds.me, name }
      const attrs = { name: name.replaceAll('@', '') }
      wa.sendNode({ tag: 'presence', attrs }).catch((err) => wa.logger.warn({ err }, 'name not told'))
    }
    return emit(event, data)
  }
}
