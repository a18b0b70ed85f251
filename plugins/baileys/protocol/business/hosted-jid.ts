import { jidDecode, jidNormalizedUser } from '../../baileys.ts'

const SERVERS: readonly [hosted: string, server: string][] = [
  ['@hosted', '@s.whatsapp.net'],
  ['@hosted.lid', '@lid'],
]

/** The number of the device through which the Cloud API writes for a number that is used in the app as well (whatsapp-rust jid.rs). */
export const HOSTED_DEVICE = 99

/**
 * The person or chat of a JID. A hosted device has a server of its own, but is a device of the same account (Baileys
 * Utils/process-message.js cleanMessage).
 */
export function chatJid(jid: string): string {
  const normal = jidNormalizedUser(jid)
  const found = SERVERS.find(([hosted]) => normal.endsWith(hosted))
  return found ? normal.replace(...found) : normal
}

/** Whether it is the JID of a hosted device. */
export function isHostedDevice(jid: string): boolean {
  const { device, server = '' } = jidDecode(jid) ?? {}
  return device === HOSTED_DEVICE || SERVERS.some(([hosted]) => hosted === `@${server}`)
}

/** The JID of a person's device. @param person without a device. */
export function deviceJid(person: string, device: number): string {
  const jid = person.replace('@', `:${device}@`)
  const found = device === HOSTED_DEVICE && SERVERS.find(([, server]) => person.endsWith(server))
  return found ? jid.replace(found[1], found[0]) : jid
}
