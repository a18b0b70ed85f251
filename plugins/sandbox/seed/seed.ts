import {
  type GatewayServices,
  type LiveSession,
  type Session,
  type Sessions,
  withTimeout,
} from 'wamux/plugin'
import type { Phone } from '../phone/phone.ts'
import type { Phones } from '../phone/phones.ts'
import type { SimulatedNetwork } from '../types.ts'
import { converse } from './messages.ts'
import { ANA, BRUNO, LABEL, QUICK_REPLY, SESSION, SHOP } from './names.ts'
import { objectsOf } from './objects.ts'

interface SeedParts {
  wire: GatewayServices['wire']
  network: SimulatedNetwork
  phones: Phones
  sessions: Sessions
  sender: GatewayServices['sender'] | undefined
}

/** The initial content of the network. */
export interface Seeded {
  /** Name and token of the session linked to the shop's phone. */
  readonly name: string
  readonly token: string
  /** The account of that phone, and one to which it can write. */
  readonly shop: Phone
  readonly ana: Phone
}

/**
 * Fills an empty network with the objects named in the examples of the interface, and links a session. A stored network is left
 * as it is. Resolves with undefined if somebody else has filled the network.
 */
export async function sow({
  wire,
  network,
  phones,
  sessions,
  sender,
}: SeedParts): Promise<Seeded | undefined> {
  const progress = network.snapshots.slot('seed', () => ({ step: 'new' as 'new' | 'begun' | 'done' }))
  const isEmpty = network.accounts().every(({ jid }) => jid.endsWith('@bot'))
  if (progress.step === 'new' && !isEmpty) return undefined
  const known = await sessionOf(sessions)
  if (progress.step === 'done') return known && seeded(known, phones)
  // Repeats whatever an earlier start left unfinished.
  progress.step = 'begun'
  for (const account of [SHOP, ANA, BRUNO]) if (!network.account(account.phone)) await phones.create(account)
  network.seed(objectsOf(wire))
  const session = known ?? (await sessions.create({ name: SESSION, subscribe: ['All'] }))
  const result = seeded(session, phones)
  await tidy(result.shop)
  const linked = await link(sessions, session.id, result.shop)
  await converse({ ana: result.ana, sender, session: linked })
  progress.step = 'done'
  await network.snapshots.stored()
  return result
}

function seeded({ name, token }: Session, phones: Phones): Seeded {
  return { name, token, shop: phones.get(SHOP.phone), ana: phones.get(ANA.phone) }
}

/** Gives the shop's phone its customers as contacts, a label and a quick reply. */
async function tidy(shop: Phone): Promise<void> {
  for (const { phone, name } of [ANA, BRUNO]) await shop.act({ Action: 'contact', Chat: phone, Text: name })
  await shop.act({ Action: 'label', Text: LABEL.name, Data: { Label: LABEL.id } })
  const { id: Id, shortcut: Shortcut, message: Text } = QUICK_REPLY
  await shop.act({ Action: 'quickReply', Id, Text, Data: { Shortcut } })
}

const LINK_MS = 30_000

/** The session created by an earlier start, with its token and settings. */
async function sessionOf(sessions: Sessions): Promise<Session | undefined> {
  return (await sessions.list()).find(({ name }) => name === SESSION)
}

/** Links the session to the phone by QR code, unless it is linked; resolves when its link is open. */
async function link(sessions: Sessions, id: string, phone: Phone): Promise<LiveSession> {
  let stop = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    stop = sessions.watch(({ session, to }) => {
      if (session === id && to === 'open') resolve()
    })
  })
  try {
    // A link to an earlier in-memory network is refused, which unlinks the session.
    const connect = () => sessions.connect(id, { wait: true })
    const { state } = await connect().catch(connect)
    if (state === 'scan') await phone.scan(await sessions.qr(id))
    if (state !== 'open') await withTimeout(opened, LINK_MS, fail)
    const session = await sessions.byId(id)
    return session?.socket ? (session as LiveSession) : fail()
  } finally {
    stop()
  }
}

function fail(): never {
  throw new Error(`the session was not linked within ${LINK_MS} ms`)
}
