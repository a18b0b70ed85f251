import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import QRCode from 'qrcode'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../../support/eventually.ts'
import type { LooseNetwork } from '../../../support/network.ts'

/** A companion of stock Baileys, with its keys in a folder. */
export interface Stock {
  text(chat: string, text: string): Promise<void>
  /** Waits until it has decrypted a message. */
  received(id: string): Promise<void>
  stop(): Promise<void>
}

type Report = Record<string, string>

/** Links a companion of the library `name` to a phone. */
export async function linkStock(
  { network }: LooseNetwork,
  phone: Phone,
  folder: string,
  name = '@whiskeysockets/baileys',
): Promise<Stock> {
  // It knows neither tokens for first contacts, nor status posts as stanzas of their own, nor the account's space of addresses.
  for (const Fault of ['lenientTokens', 'legacyStatuses', 'lenientAddressing']) network.fault({ Fault })
  // It has the version of its release.
  network.fault({ Fault: 'outdated', Below: 0 })
  const child: ChildProcess = fork(
    resolve('test/config/cli/import/stock-client.ts'),
    [name, folder, network.url],
    {
      execArgv: ['--import', 'tsx'],
      env: { PATH: process.env['PATH'] ?? '' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  )
  const ended = once(child, 'exit')
  const reports: Report[] = []
  child.on('message', (report: Report) => reports.push(report))
  const until = (what: string, matches: (report: Report) => boolean): Promise<Report> =>
    eventually(() => reports.find(matches), what, { progress: () => reports.length })
  const { qr = '' } = await until('a QR code shown', ({ is }) => is === 'qr')
  await phone.scan(await QRCode.toDataURL(qr))
  await until('logged in', ({ is }) => is === 'open')
  return {
    async text(chat, text) {
      child.send({ is: 'text', chat, text })
      await until(`"${text}" sent`, (report) => report['is'] === 'sent' && report['text'] === text)
    },
    received: async (id) => void (await until(`${id} received`, (report) => report['id'] === id)),
    async stop() {
      child.send({ is: 'stop' })
      await ended
    },
  }
}
