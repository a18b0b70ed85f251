import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '../../kernel/logging/log.ts'
import { wire } from '../../plugins/baileys/protocol/wire.ts'
import { createNetwork } from '../../plugins/sandbox/network/network.ts'
import { createPhones } from '../../plugins/sandbox/phone/phones.ts'

export type FromNetwork = { kind: 'ready'; card: string; ana: string }
export type ToNetwork = { kind: 'scan'; qr: string }

/** The network of the benchmark, alone in its process: a new phone scans every code that it is shown. */
const log = createLog({ level: 'silent' })
const network = await createNetwork(wire, { log })
const phones = createPhones(wire, network, log)
const ana = await phones.create({ name: 'Ana' })
const { url, mediaHost, ca, rootKey } = network
const card = join(mkdtempSync(join(tmpdir(), 'wamux-network-')), 'network.json')
writeFileSync(
  card,
  JSON.stringify({ name: 'sandbox', url, mediaHost, ca, rootKey: rootKey.toString('base64') }),
)

process.on('message', ({ qr }: ToNetwork) => {
  void phones.create({}).then((phone) => phone.scan(qr))
})
process.on('disconnect', () => process.exit(0))
process.send?.({ kind: 'ready', card, ana: ana.account.phone } satisfies FromNetwork)
