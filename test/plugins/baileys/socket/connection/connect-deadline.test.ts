import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { initAuthCreds, makeWASocket } from '@whiskeysockets/baileys'
import { expect } from 'chai'
import { pino } from 'pino'
import { WebSocketServer } from 'ws'
import { limitConnecting } from '../../../../../plugins/baileys/socket/open.ts'

describe('connect deadline', () => {
  it('ends a socket whose network accepts the connection and stays silent', async () => {
    const network = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    await once(network, 'listening')
    const wa = makeWASocket({
      auth: { creds: initAuthCreds(), keys: { get: async () => ({}), set: async () => undefined } },
      logger: pino({ level: 'silent' }),
      waWebSocketUrl: `ws://127.0.0.1:${(network.address() as AddressInfo).port}`,
      connectTimeoutMs: 0,
    })
    limitConnecting(wa, 300)
    const ended = new Promise<string | undefined>((resolve) => {
      wa.ev.on('connection.update', ({ connection, lastDisconnect }) => {
        if (connection === 'close') resolve(lastDisconnect?.error?.message)
      })
    })
    expect(await ended).to.equal('WhatsApp did not answer within 0.3 s')
    network.close()
  })
})
