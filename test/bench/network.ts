import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '../../kernel/log.ts'
import { quietSignal } from '../../plugins/baileys/console.ts'
import { wire } from '../../plugins/baileys/wire.ts'
import { createNetwork } from '../../plugins/sandbox/network/network.ts'
import { createPhones } from '../../plugins/sandbox/phone/phones.ts'

/** The network of the benchmark, alone in its process: a new phone scans every code that it is shown. */
quietSignal()
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

process.on('message', (message: { scan?: string }) => {
  if (!message.scan) return
  void phones.create({}).then((phone) => phone.scan(message.scan ?? ''))
})
process.on('disconnect', () => process.exit(0))
process.send?.({ card, ana: ana.account.phone })
