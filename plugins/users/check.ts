import type { BinaryNode } from '@whiskeysockets/baileys'
import { askUsers, child, children, Jid, textOf } from 'wamux/messaging'
import {
  type GatewayServices,
  gatewayError,
  isGatewayError,
  type LiveSession,
  type Socket,
} from 'wamux/plugin'
import { PROTOCOLS, verifiedName } from './usync.ts'

export interface Checked {
  Query: string
  IsInWhatsapp: boolean
  JID: string
  LID: string
  VerifiedName: string
  /** Why it is not a number; absent for a checked one. */
  Error?: string
}

type Targets = GatewayServices['targets']

/**
 * Checks which numbers are registered; one result for each, in the given order, even for invalid ones. The JID is the
 * network's: it may differ from the number, for example by a Brazilian ninth digit.
 */
export async function check(
  session: LiveSession,
  wire: GatewayServices['wire'],
  targets: Targets,
  phones: readonly string[],
): Promise<Checked[]> {
  const results = new Map<string, Checked>()
  const numbers: Asked[] = []
  const read = async (phone: string): Promise<void> => {
    if (phone.trim().startsWith('@')) results.set(phone, await checkUsername(session, targets, phone))
    else numbers.push({ phone, number: await numberOf(session.socket, targets.toUser(phone)) })
  }
  await Promise.all(
    [...new Set(phones)].map((phone) =>
      read(phone).catch((error: unknown) => {
        if (!isGatewayError(error) || error.status !== 400) throw error
        results.set(phone, noNumber(phone, error.message))
      }),
    ),
  )
  const found = numbers.length > 0 ? await checkNumbers(session.socket, wire, numbers) : []
  for (const one of found) results.set(one.Query, one)
  return phones.flatMap((phone) => results.get(phone) ?? [])
}

interface Asked {
  readonly phone: string
  readonly number: string
}

function noNumber(phone: string, why: string): Checked {
  return { Query: phone, IsInWhatsapp: false, JID: '', LID: '', VerifiedName: '', Error: why }
}

async function checkUsername(session: LiveSession, targets: Targets, name: string): Promise<Checked> {
  const jid = await targets.resolveUser(session, name).catch((error: unknown) => {
    if (isGatewayError(error) && error.code === 'USERNAME_UNKNOWN') return ''
    throw error
  })
  const lid = Jid.isLid(jid) ? jid : await session.socket.altJid(jid)
  return { Query: name, IsInWhatsapp: jid !== '', JID: jid, LID: lid, VerifiedName: '' }
}

async function checkNumbers(
  socket: Socket,
  wire: GatewayServices['wire'],
  asked: readonly Asked[],
): Promise<Checked[]> {
  const users = asked.map(({ number }) => ({
    tag: 'user',
    attrs: {},
    content: [{ tag: 'contact', attrs: {}, content: Buffer.from(`+${number}`) }],
  }))
  const found = await askUsers(
    socket,
    [PROTOCOLS.contact, PROTOCOLS.lid, PROTOCOLS.business],
    users,
    'check the numbers',
  )
  // Who is asked for by two spellings of the number is answered once, with both (zapo SignalDeviceSyncApi.ts).
  return asked.map(({ phone, number }) => {
    const contactOf = (one: BinaryNode) =>
      children(one, 'contact').find((contact) => textOf(contact).replace(/\D/g, '') === number)
    const user = found.find(contactOf)
    const isIn = user !== undefined && contactOf(user)?.attrs['type'] === 'in'
    return {
      Query: phone,
      IsInWhatsapp: isIn,
      // An answer may have the LID as `jid`, or no `jid` at all (whatsmeow d8960d95).
      JID: user?.attrs['pn_jid'] ?? user?.attrs['jid'] ?? Jid.ofPhone(number),
      LID: isIn ? (child(user, 'lid')?.attrs['val'] ?? '') : '',
      VerifiedName: verifiedName(wire, user),
    }
  })
}

async function numberOf(socket: Socket, jid: string): Promise<string> {
  const phone = Jid.isLid(jid) ? await socket.altJid(jid) : jid
  if (!phone) throw gatewayError('PHONE_INVALID', [`the phone number of ${jid} is unknown`])
  return phone.split('@', 1)[0] ?? ''
}
