import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWire } from '../../cluster/wire.ts'
import { built } from '../built.ts'
import { textOf } from '../mark.ts'
import { atRate } from '../rate.ts'
import { serve } from '../serve.ts'

const { createLog } = await built<typeof import('../../../kernel/logging/log.ts')>('kernel/logging/log')
const { wire } = await built<typeof import('../../../plugins/baileys/protocol/wire.ts')>(
  'plugins/baileys/protocol/wire',
)
const { createNetwork } = await built<typeof import('../../../plugins/sandbox/network/network.ts')>(
  'plugins/sandbox/network/network',
)
const { createPhones } = await built<typeof import('../../../plugins/sandbox/phone/phones.ts')>(
  'plugins/sandbox/phone/phones',
)

/** The network of the benchmark with its phones, alone in its process. */
const log = createLog({ level: 'silent' })
const links = createWire()
const network = await createNetwork(wire, { log, observe: links.observe })
// Raw Baileys asks for what waited once, for a hundred stanzas.
network.fault({ Fault: 'pushQueue' })
// It knows no tokens for first contacts.
network.fault({ Fault: 'lenientTokens' })
// It addresses people as it is told.
network.fault({ Fault: 'lenientAddressing' })
const phones = createPhones(wire, network, log)
const { url, mediaHost, ca, rootKey } = network
const file = join(mkdtempSync(join(tmpdir(), 'wamux-network-')), 'network.json')
writeFileSync(
  file,
  JSON.stringify({ name: 'sandbox', url, mediaHost, ca, rootKey: rootKey.toString('base64') }),
)
let sent = 0
/** By phone, the last message that `arrived` has answered. */
const seen = new Map<string, number>()

const methods = {
  /** The file that says where the network is. */
  card: () => file,
  /** The number of a new phone. */
  phone: async () => (await phones.create({})).account.phone,
  scan: (phone: string, qr: string) => phones.get(phone).scan(qr),
  /** The JID of a new group. */
  async group(owner: string, members: string[]) {
    const { JID } = await phones
      .get(owner)
      .act({ Action: 'createGroup', Text: 'Benchmark', Participants: members })
    return String(JID)
  },
  /** Texts to one chat, by the senders in turn. */
  async send(senders: string[], to: string, count: number) {
    for (let i = 0; i < count; i += 1) {
      await phones.get(senders[i % senders.length] ?? '').send(to, { Text: textOf(sent) })
      sent += 1
    }
  },
  /** Texts to each of the recipients, by the senders in turn, so many a second. */
  stream: (senders: string[], recipients: string[], rate: number, seconds: number) =>
    atRate(rate, seconds, async () => {
      const number = sent
      sent += 1
      const sender = senders[number % senders.length] ?? ''
      await phones.get(sender).send(recipients[number % recipients.length] ?? '', { Text: textOf(number) })
    }),
  /** Texts that the phones received and decrypted, and those that they could not decrypt. */
  received() {
    const all = phones.all()
    const texts = all.flatMap((phone) => phone.messages().filter(({ fromMe }) => !fromMe))
    return { texts: texts.length, failures: all.flatMap(({ failures }) => failures) }
  },
  /** Texts that have come to the phones since the last call: a phone forgets the oldest. */
  arrived: (numbers: string[]) =>
    numbers.flatMap((number) => {
      const messages = phones.get(number).messages(seen.get(number))
      seen.set(number, messages.at(-1)?.seq ?? seen.get(number) ?? 0)
      return messages.flatMap(({ fromMe, raw }) =>
        fromMe ? [] : [raw.extendedTextMessage?.text ?? raw.conversation ?? ''],
      )
    }),
  /** Links of a device that were open side by side, what an older one sent, and the number of devices that have an open link. */
  links: () => ({
    overlaps: links.overlaps,
    stale: links.stale,
    open: links.devices().filter(links.isServed).length,
  }),
}
export type Network = typeof methods
serve(methods)
