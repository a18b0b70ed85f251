import type { GatewayServices, Session, Sessions } from 'wamux/plugin'
import type { Phone } from '../phone/phone.ts'
import type { Phones } from '../phone/phones.ts'
import type { SimulatedNetwork } from '../types.ts'
import { converse } from './messages.ts'
import { ANA, BRUNO, LABEL, QUICK_REPLY, SESSION, SHOP } from './names.ts'
import { objectsOf } from './objects.ts'
import { link, sessionOf } from './session.ts'

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
