import { expect } from 'chai'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import type { LooseNetwork } from '../../../support/network.ts'
import type { GatewayProcess } from '../../../support/process.ts'
import { admin, messageLogged, sessionOf } from '../../../support/sessions.ts'

/** An account before and after it moved, with somebody to write to and a group of both. */
export interface Mover {
  readonly name: string
  readonly phone: Phone
  readonly other: Phone
  readonly group: string
}

export async function createMover({ phones }: LooseNetwork, name: string): Promise<Mover> {
  const phone = await phones.create({ name })
  const other = await phones.create({ name: `Friend of ${name}` })
  const made = await other.act({ Action: 'createGroup', Text: 'Team', Participants: [phone.account.phone] })
  return { name, phone, other, group: String(made['JID']) }
}

/** Both sides write, alone and in the group, so that there are Signal sessions and sender keys to go on with. */
export async function exchange(
  { phone, other, group }: Mover,
  client: { text(chat: string, text: string): Promise<void>; received(id: string): Promise<void> },
): Promise<void> {
  for (const chat of [other.account.lid, group]) {
    await client.text(chat, `before, ${chat}`)
    await other.wait(({ raw }) => JSON.stringify(raw).includes(`before, ${chat}`))
  }
  for (const chat of [phone.account.lid, group])
    await client.received(await other.send(chat, { Text: 'before' }))
}

/** Asserts that the imported account connects without a code, and that the first messages both ways arrive. */
export async function assertMoved(
  gateway: GatewayProcess,
  { name, phone, other, group }: Mover,
): Promise<string> {
  const { data } = await gateway.get('/session/all', admin)
  const row = data.find((one: { Name: string }) => one.Name === name)
  expect(row, name).to.include({ JID: phone.account.jid })
  const session = sessionOf(gateway, row.Token, phone)
  await session.status({ LoggedIn: true })
  for (const chat of [other.account.phone, group]) {
    const { status } = await session.post('/send/text', { Phone: chat, Body: `after, ${chat}` })
    expect(status).to.equal(200)
    await other.wait(({ raw }) => raw.extendedTextMessage?.text === `after, ${chat}`)
    const to = chat === group ? group : phone.account.phone
    await other.send(to, { Text: `back, ${chat}` })
    await messageLogged(gateway, { token: row.Token }, `back, ${chat}`)
  }
  expect(other.failures, name).to.deep.equal([])
  return row.Token
}

/** Ids of messages that a companion of `phone` asked `other` for again. */
export function retries({ other }: Mover): string[] {
  return other.receipts.filter(({ type }) => type === 'retry').map(({ id }) => id)
}
