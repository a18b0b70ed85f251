import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../support/eventually.ts'
import type { Area, Bench } from './area.ts'

/** The other account is also used through the Cloud API, as a hosted device of it (row 41 of plugins/sandbox/WHATSAPP.md). */

const QUIET_MS = 12_000

export const hostedReader: Area = {
  name: 'text to an account with a hosted device (41)',
  run: async (bench) => writeTo(bench, await hostedBusiness(bench)),
}

export const hostedWriter: Area = {
  name: 'text of a hosted device (41)',
  async run(bench) {
    const { own, companion } = bench
    const bakery = await hostedBusiness(bench)
    const { account } = bakery
    const { Id } = await bakery.act({ Action: 'writeFromHosted', Chat: own.account.lid, Text: 'plenty' })
    const isIt = ({ id }: { id: string }) => id === Id
    const { text, chat, fromMe } = await companion.until('message', 'the text received', isIt)
    if (text !== 'plenty') throw new Error(`the client read "${text}"`)
    if (fromMe) throw new Error('the client takes it for one of its own account')
    if (chat !== account.lid && chat !== account.jid)
      throw new Error(`the client shows it in the chat ${chat}`)
  },
}

/** A later hosted device has the same number and other keys: a session with the former one is of no use. */
export const hostedAgain: Area = {
  name: 'a hosted device removed and added again (41)',
  async run(bench) {
    const { own, companion } = bench
    const bakery = await hostedBusiness(bench)
    await writeTo(bench, bakery)
    for (const Action of ['removeHostedDevice', 'addHostedDevice']) {
      await bakery.act({ Action })
      // The client has been told of the change before it gets this.
      const told = await bakery.send(own.account.lid, { Text: Action })
      await companion.until('message', 'the text of the phone received', ({ id }) => id === told)
      await writeTo(bench, bakery)
    }
  },
}

async function hostedBusiness({ loose }: Bench): Promise<Phone> {
  const bakery = await loose.phones.create({ name: 'Bakery', business: true })
  await bakery.act({ Action: 'addHostedDevice' })
  return bakery
}

/** Writes to the account, all of whose devices must decrypt it. */
async function writeTo({ companion }: Bench, { account, hosted, wait }: Phone): Promise<void> {
  const id = await companion.text(account.lid, 'any bread left?')
  await wait((message) => message.id === id)
  if (!hosted.isAdded) return
  const isRead = () => hosted.messages.all().some((message) => message.id === id)
  await eventually(() => isRead() || hosted.failures.length > 0, 'the text at the hosted device', {
    quietMs: QUIET_MS,
  })
  if (!isRead()) throw new Error(`the hosted device can't decrypt it: ${hosted.failures.join(' ')}`)
}
