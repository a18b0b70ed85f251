// Baileys copies what these change when it is loaded: whichever test of a process comes first, they are in effect.
import '../../../plugins/baileys/patches/early.ts'
import { Agent } from 'node:https'
import {
  type Chat,
  initAuthCreds,
  makeWASocket,
  type WAMessage,
  type WASocket,
} from '@whiskeysockets/baileys'
import { pino } from 'pino'
import { createNetworkChoice } from '../../../plugins/baileys/network/network.ts'
import { trust } from '../../../plugins/baileys/patches/curve.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import type { SimulatedNetwork } from '../../../plugins/sandbox/types.ts'
import { eventually } from '../eventually.ts'
import { memoryKeys } from './memory-keys.ts'

/** A companion that runs a Baileys socket as applications do: keys in memory, none of the driver's stages. */
export interface Client {
  readonly wa: WASocket
  /** Received messages and copies of own ones, in order. */
  readonly messages: readonly WAMessage[]
  /** Chats of the history, which comes while it is linked. */
  readonly history: readonly Chat[]
  /** The first message, past or future, that `matches`. */
  message(matches: (message: WAMessage) => boolean): Promise<WAMessage>
  close(): Promise<void>
}

/** Links a client with the phone; resolves once it has its app-state keys and its offline queue is through. */
export async function linkClient(network: SimulatedNetwork, phone: Phone): Promise<Client> {
  const { url, ca, rootKey, mediaHost } = network
  trust(rootKey)
  const choice = createNetworkChoice()
  choice.dial.use({ name: 'client', url, ca, rootKey, mediaHost })
  const fetchAgent = new Agent({ ca })
  const auth = { creds: initAuthCreds(), keys: memoryKeys() }
  const messages: WAMessage[] = []
  const history: Chat[] = []
  let wa: WASocket
  let isReady = false

  function open(): void {
    wa = makeWASocket({
      auth,
      logger: pino({ level: 'silent' }),
      waWebSocketUrl: url,
      fetchAgent,
      options: choice.current().fetchOptions,
      syncFullHistory: false,
    })
    wa.ev.on('connection.update', ({ qr, lastDisconnect, connection, receivedPendingNotifications }) => {
      if (qr) void phone.scan(qr)
      if (receivedPendingNotifications) isReady = true
      const { statusCode } =
        (lastDisconnect?.error as { output?: { statusCode?: number } } | undefined)?.output ?? {}
      // The network requires a restart after linking.
      if (connection === 'close' && statusCode === 515) open()
    })
    wa.ev.on('messages.upsert', (upsert) => messages.push(...upsert.messages))
    wa.ev.on('messaging-history.set', ({ chats }) => history.push(...chats))
  }
  open()
  await eventually(() => isReady && auth.creds.myAppStateKeyId, 'the client is linked')
  return {
    get wa() {
      return wa
    },
    messages,
    history,
    message: (matches) =>
      eventually(() => messages.find(matches), 'the client has the message', {
        progress: () => messages.length,
      }),
    async close() {
      await wa.end(undefined)
      fetchAgent.destroy()
      await choice.close()
    },
  }
}
