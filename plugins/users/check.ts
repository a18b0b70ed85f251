import { child, textOf } from 'wamux/messaging'
import { type GatewayServices, gatewayError, type Socket } from 'wamux/plugin'
import { PROTOCOLS, usync, verifiedName } from './usync.ts'

export interface Checked {
  Query: string
  IsInWhatsapp: boolean
  JID: string
  LID: string
  VerifiedName: string
}

/**
 * Checks which numbers are registered; one result for each, in the given order. The JID is the network's: it may differ
 * from the number, for example by a Brazilian ninth digit.
 */
export async function check(
  socket: Socket,
  wire: GatewayServices['wire'],
  targets: GatewayServices['targets'],
  phones: readonly string[],
): Promise<Checked[]> {
  const asked = await Promise.all(
    phones.map(async (phone) => ({ phone, number: await numberOf(socket, targets.toUser(phone)) })),
  )
  const users = asked.map(({ number }) => ({
    tag: 'user',
    attrs: {},
    content: [{ tag: 'contact', attrs: {}, content: Buffer.from(`+${number}`) }],
  }))
  const found = await usync(
    socket,
    [PROTOCOLS.contact, PROTOCOLS.lid, PROTOCOLS.business],
    users,
    'check the numbers',
  )
  return asked.map(({ phone, number }) => {
    const user = found.find((one) => textOf(child(one, 'contact')).replace(/\D/g, '') === number)
    const isIn = child(user, 'contact')?.attrs['type'] === 'in'
    return {
      Query: phone,
      IsInWhatsapp: isIn,
      JID: user?.attrs['jid'] ?? `${number}@s.whatsapp.net`,
      LID: isIn ? (child(user, 'lid')?.attrs['val'] ?? '') : '',
      VerifiedName: verifiedName(wire, user),
    }
  })
}

async function numberOf(socket: Socket, jid: string): Promise<string> {
  const phone = jid.endsWith('@lid') ? await socket.altJid(jid) : jid
  if (!phone) throw gatewayError('PHONE_INVALID', [`the phone number of ${jid} is unknown`])
  return phone.replace(/@.*$/, '')
}
