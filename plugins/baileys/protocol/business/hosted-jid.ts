import { jidNormalizedUser } from '../../baileys.ts'

const SERVERS: readonly [hosted: string, server: string][] = [
  ['@hosted', '@s.whatsapp.net'],
  ['@hosted.lid', '@lid'],
]

/**
 * The person or chat of a JID. A hosted device, through which the Cloud API writes for a number that is used in the app as well,
 * has a server of its own, but is a device of the same account (Baileys Utils/process-message.js cleanMessage).
 */
export function chatJid(jid: string): string {
  const normal = jidNormalizedUser(jid)
  const found = SERVERS.find(([hosted]) => normal.endsWith(hosted))
  return found ? normal.replace(...found) : normal
}
