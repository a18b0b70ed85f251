import { eventually } from '../../support/eventually.ts'
import type { Area, Bench } from './area.ts'
import { scan } from './link.ts'

export const companions: Area = {
  name: 'two companions of an account',
  async run(bench) {
    const { own, other, companion, open } = bench
    const second = open('second')
    await scan(own, second)
    const id = await second.text(other.account.lid, 'from the second')
    await other.wait((message) => message.id === id)
    const copy = await companion.until('message', 'the copy received', (event) => event.id === id)
    if (!copy.fromMe) throw new Error('the copy is not shown as sent by the account')
    const sent = await other.send(own.account.phone, { Text: 'to both' })
    for (const each of [companion, second])
      await each.until('message', 'the text received by both', (event) => event.id === sent)
    await acknowledged(bench, [sent], 3)
    await second.disconnect()
  },
}

const QUEUED = 20

export const offlineQueue: Area = {
  name: 'offline queue in order',
  async run(bench) {
    const { own, other, companion } = bench
    await disconnect(bench)
    const ids: string[] = []
    for (let i = 0; i < QUEUED; i += 1) ids.push(await other.send(own.account.phone, { Text: `queued ${i}` }))
    companion.forget()
    await companion.connect()
    await companion.until('open', 'logged in again')
    const received = () =>
      companion.events.flatMap((event) =>
        event.is === 'message' && ids.includes(event.id) ? [event.id] : [],
      )
    await eventually(() => received().length >= QUEUED, 'all queued texts received', { progress: received })
    if (received().join() !== ids.join()) throw new Error('the texts arrived in another order')
    await acknowledged(bench, ids, 2)
  },
}

/** Noise: XX again, or for a client that resumes IK, and XXfallback when the server has a new key. */
export const resume: Area = {
  name: 'resume',
  async run(bench) {
    const { loose, resumes } = bench
    const before = handshakes(bench)
    await reconnect(bench)
    if (resumes) expectOneMore(bench, before, 'resumed')
    loose.network.fault({ Fault: 'newServerKey' })
    const renewed = handshakes(bench)
    await reconnect(bench)
    if (resumes) expectOneMore(bench, renewed, 'fallbacks')
  },
}

type Handshakes = Record<'resumed' | 'fallbacks', number>

function handshakes({ loose }: Bench): Handshakes {
  const { resumed, fallbacks } = loose.network.view()['Counters'] as Handshakes
  return { resumed, fallbacks }
}

function expectOneMore(bench: Bench, before: Handshakes, kind: keyof Handshakes): void {
  const now = handshakes(bench)[kind]
  if (now !== before[kind] + 1)
    throw new Error(`${now - before[kind]} handshakes counted as ${kind} instead of one`)
}

async function reconnect(bench: Bench): Promise<void> {
  const { companion, own, other } = bench
  await disconnect(bench)
  companion.forget()
  await companion.connect()
  await companion.until('open', 'logged in again')
  const sent = await other.send(own.account.phone, { Text: 'after the login' })
  await companion.until('message', 'a text received after the login', (event) => event.id === sent)
  await acknowledged(bench, [sent], 2)
}

/** Waits until so many devices have acknowledged texts of the phone: the network would deliver the others again. */
async function acknowledged({ other }: Bench, ids: readonly string[], devices: number): Promise<void> {
  const receiptsOf = (id: string) =>
    other.receipts.filter((receipt) => receipt.id === id && receipt.type === 'delivered').length
  const all = () => ids.map(receiptsOf)
  await eventually(() => all().every((count) => count >= devices), 'all acknowledged', { progress: all })
}

async function disconnect({ companion, own }: Bench): Promise<void> {
  const online = () =>
    (own.view()['Companions'] as { Online: boolean }[]).filter(({ Online }) => Online).length
  const before = online()
  await companion.disconnect()
  await eventually(() => online() < before, 'disconnected', { progress: online })
}
