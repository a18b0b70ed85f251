import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import makeWASocket, {
  type AuthenticationState,
  type GroupMetadata,
  initAuthCreds,
  type WASocket,
} from '@whiskeysockets/baileys'
import { pino } from 'pino'
import { patchConsole } from '../../../plugins/baileys/patches/console.ts'
import { memoryKeys } from '../../support/clients/memory-keys.ts'
import { createArrivals } from '../arrivals.ts'
import { numberIn } from '../mark.ts'
import { serve } from '../serve.ts'

/**
 * Unpatched Baileys behind a plain HTTP server: keys in memory, no store, no waiting for acks. It answers a request
 * when `sendMessage` resolves, which is when the frame is written. Unpatched it verifies no certificate, so it needs
 * no trust in the network's. Only what libsignal prints is kept off the console, as a terminal would be measured.
 */
patchConsole()
const logger = pino({ level: 'silent' })
const arrivals = createArrivals()
const members = new Map<string, Promise<GroupMetadata>>()
let socket: WASocket
let markOpen = (): void => undefined
const opened = new Promise<void>((resolve) => {
  markOpen = resolve
})

const server = createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8')
  request.on('data', (chunk: string) => {
    text += chunk
  })
  request.on('end', () => {
    const { to, body } = JSON.parse(text) as { to: string; body: string }
    socket.sendMessage(to, { text: body }).then(
      (sent) => response.end(JSON.stringify({ id: sent?.key.id })),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

const methods = {
  url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  /** The text of the QR code. */
  connect(card: string) {
    const { url } = JSON.parse(readFileSync(card, 'utf8')) as { url: string }
    return new Promise<string>((resolve) =>
      open(url, { creds: initAuthCreds(), keys: memoryKeys() }, resolve),
    )
  },
  opened: () => opened,
  reached: (count: number) => arrivals.reached(count),
}
export type Raw = typeof methods
serve(methods)

function open(url: string, auth: AuthenticationState, show: (qr: string) => void): void {
  socket = makeWASocket({
    auth,
    logger,
    waWebSocketUrl: url,
    syncFullHistory: false,
    cachedGroupMetadata: membersOf,
  })
  socket.ev.on('connection.update', ({ qr, connection, lastDisconnect }) => {
    if (qr) show(qr)
    if (connection === 'open') markOpen()
    const code = (lastDisconnect?.error as { output?: { statusCode?: number } } | undefined)?.output
      ?.statusCode
    // A restart is required after pairing.
    if (connection === 'close' && code === 515) open(url, auth, show)
  })
  socket.ev.on('messages.upsert', ({ messages }) => {
    for (const { message } of messages) {
      const number = numberIn(message?.conversation ?? message?.extendedTextMessage?.text ?? '')
      if (number !== undefined) arrivals.add(number)
    }
  })
}

function membersOf(jid: string): Promise<GroupMetadata> {
  const known = members.get(jid) ?? socket.groupMetadata(jid)
  members.set(jid, known)
  return known
}
