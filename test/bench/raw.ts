import { readFileSync } from 'node:fs'
import makeWASocket, {
  type AuthenticationState,
  initAuthCreds,
  type SignalDataSet,
  type WASocket,
} from '@whiskeysockets/baileys'
import { createLog } from '../../kernel/logging/log.ts'
import { patchConsole } from '../../plugins/baileys/patches/console.ts'
import { readCard } from '../../plugins/baileys/protocol/network-card.ts'
import type { Candidate, Order } from './candidate.ts'

/**
 * Baileys as it is, with its keys in memory and nothing around it: no store, no HTTP, no waiting for acks, none of
 * the work-arounds. (Unmended it checks no certificate, so it needs no trust in the network's.)
 */
export async function startRaw({ card }: Order): Promise<Candidate> {
  patchConsole()
  const network = readCard(readFileSync(card, 'utf8'))
  const logger = createLog({ level: 'silent' }) as never
  const linked: WASocket[] = []

  const open = (
    auth: AuthenticationState,
    scan: (qr: string) => void,
    done: (socket: WASocket) => void,
  ): void => {
    const socket = makeWASocket({ auth, logger, waWebSocketUrl: network.url, syncFullHistory: false })
    socket.ev.on('connection.update', ({ qr, connection, lastDisconnect }) => {
      if (qr) scan(qr)
      if (connection === 'open') done(socket)
      const code = (lastDisconnect?.error as { output?: { statusCode?: number } } | undefined)?.output
        ?.statusCode
      if (connection === 'close' && code === 515) open(auth, scan, done)
    })
  }
  return {
    link: (scan) =>
      new Promise((resolve) => {
        open({ creds: initAuthCreds(), keys: memory() }, scan, (socket) => {
          linked.push(socket)
          resolve()
        })
      }),
    async send(to, text) {
      await linked[0]?.sendMessage(`${to}@s.whatsapp.net`, { text })
    },
  }
}

function memory(): AuthenticationState['keys'] {
  const values = new Map<string, unknown>()
  return {
    get: async (type: string, ids: string[]) =>
      Object.fromEntries(
        ids.flatMap((id) => (values.has(`${type} ${id}`) ? [[id, values.get(`${type} ${id}`)]] : [])),
      ),
    set: async (data: SignalDataSet) => {
      for (const [type, entries] of Object.entries(data)) {
        for (const [id, value] of Object.entries(entries ?? {})) {
          if (value === null || value === undefined) values.delete(`${type} ${id}`)
          else values.set(`${type} ${id}`, value)
        }
      }
    },
  } as AuthenticationState['keys']
}
