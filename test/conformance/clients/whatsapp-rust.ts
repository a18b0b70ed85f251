import {
  createWhatsAppClient,
  decodeMessageWireBatch,
  decodeProto,
  encodeProto,
  initWasmEngine,
  type JsStoreCallbacks,
  type JsTransportCallbacks,
  type MessageWireInfo,
  type proto,
  type WasmWhatsAppClient,
  type WhatsAppEvent,
  type WireJid,
} from 'whatsapp-rust'
import type { Client, ClientEvent, CreateClient, Report } from '../protocol.ts'

interface Received {
  readonly info: MessageWireInfo
  readonly message: proto.IMessage
}

interface Call {
  readonly peer: string
  readonly creator: string
}

const WEEK_MS = 7 * 24 * 3600 * 1000
/** Of the time of the package. */
const VERSION = [2, 3000, 1_040_000_000] as const
const SILENT = Object.fromEntries(
  ['trace', 'debug', 'info', 'warn', 'error'].map((level) => [level, (): void => undefined]),
)

/**
 * A client of whatsapp-rust, compiled to WASM: the strictest one. It does not verify the root of the Noise certificates.
 * Connection, requests and store are callbacks; the store is kept in memory.
 */
export const createWhatsAppRust: CreateClient = ({ url }, report) => {
  initWasmEngine({ ...SILENT, level: 'error', error })
  const store = createMemoryStore()
  const messages = new Map<string, Received>()
  const calls = new Map<string, Call>()
  let client: WasmWhatsAppClient | undefined
  let phoneToLink: string | undefined
  const open = (): WasmWhatsAppClient => {
    if (!client) throw new Error('not connected')
    return client
  }
  const messageOf = (id: string): Received => {
    const found = messages.get(id)
    if (!found) throw new Error(`no message ${id}`)
    return found
  }

  async function start(): Promise<void> {
    const isFirst = { qr: true }
    const events = {
      onEvent(event: WhatsAppEvent): void {
        if (event.type !== 'qr') return tell(event, report, calls)
        if (!isFirst.qr) return
        isFirst.qr = false
        if (phoneToLink === undefined) report({ is: 'qr', text: event.data.code })
        else
          void open()
            .requestPairingCode(phoneToLink)
            .then((code) => report({ is: 'code', code }))
      },
      onMessageBatch: (batch: Uint8Array): void => received(batch, messages, report),
      onHistorySyncBatch: (): void => undefined,
    }
    client = await createWhatsAppClient(transportTo(url), { execute }, events, store, null, VERSION)
    client.run()
  }

  const driver: Client = {
    async link(phone) {
      phoneToLink = phone
      await start()
    },
    connect: start,
    async disconnect() {
      await open().disconnect()
      report({ is: 'closed', reason: 'requested' })
    },
    text: (chat, conversation) => open().sendMessageBytes(chat, encodeProto('Message', { conversation })),
    async image(chat, image) {
      const uploaded = await open().uploadMedia(image, 'image')
      const imageMessage = { ...uploaded, mimetype: 'image/jpeg' }
      return open().sendMessageBytes(chat, encodeProto('Message', { imageMessage }))
    },
    async download(id) {
      const image = messageOf(id).message.imageMessage
      const { directPath, mediaKey, fileSha256, fileEncSha256, fileLength } = image ?? {}
      if (!directPath || !mediaKey || !fileSha256 || !fileEncSha256)
        throw new Error(`message ${id} has no image`)
      const length = Number(fileLength)
      return open().downloadMedia(directPath, mediaKey, fileSha256, fileEncSha256, length, 'image')
    },
    createGroup: async (subject, members) => (await open().createGroup(subject, members)).id,
    leaveGroup: (group) => open().groupLeave(group),
    read(id) {
      const { chat: remoteJid, sender: participant, isGroup } = messageOf(id).info
      return open().readMessages([{ remoteJid, id, ...(isGroup ? { participant } : {}) }])
    },
    type: (to) => open().sendChatState(to, 'composing'),
    goOnline: () => open().sendPresence('available'),
    watch: (person) => open().presenceSubscribe(person),
    async rejectCall(id) {
      const { peer = '', creator = '' } = calls.get(id) ?? {}
      await open().rejectCall(id, peer, creator)
    },
    async setChat(chat, setting) {
      if (setting === 'archive') await open().archiveChat(chat, true)
      else if (setting === 'pin') await open().pinChat(chat, true)
      else await open().muteChat(chat, Date.now() + WEEK_MS)
    },
    async createNewsletter(name) {
      // The person agrees to the terms, for which the library has no function.
      await open().queryNode({
        tag: 'iq',
        attrs: { to: 's.whatsapp.net', type: 'set', xmlns: 'tos', id: 'terms' },
        content: [{ tag: 'notice', attrs: { id: '20601218', stage: '5' } }],
      })
      return (await open().newsletterCreate(name)).jid
    },
    followNewsletter: async (newsletter) => void (await open().newsletterSubscribe(newsletter)),
  }
  return driver
}

function error(...about: readonly unknown[]): void {
  process.stderr.write(`${about.map(String).join(' ')}\n`)
}

function transportTo(url: string): JsTransportCallbacks {
  let socket: WebSocket | undefined
  return {
    async connect(handle) {
      const made = new WebSocket(url)
      made.binaryType = 'arraybuffer'
      socket = made
      const opened = new Promise<void>((resolve, reject) => {
        made.onopen = () => {
          handle.onConnected()
          resolve()
        }
        made.onerror = () => reject(new Error(`no connection to ${url}`))
      })
      made.onmessage = ({ data }) => handle.onData(new Uint8Array(data as ArrayBuffer))
      made.onclose = () => handle.onDisconnected()
      await opened
    },
    // A view on the memory of the WASM, which grows.
    send: (data) => socket?.send(data.slice()),
    disconnect: () => socket?.close(),
  }
}

async function execute(
  url: string,
  method: string,
  headers: Record<string, string>,
  body: Uint8Array | null,
): Promise<{ statusCode: number; body: Uint8Array }> {
  const response = await fetch(url, { method, headers, body: body && Uint8Array.from(body) })
  return { statusCode: response.status, body: new Uint8Array(await response.arrayBuffer()) }
}

function createMemoryStore(): JsStoreCallbacks {
  const values = new Map<string, Uint8Array>()
  const nameOf = (store: string, key: string): string => `${store} ${key}`
  return {
    get: async (store, key) => values.get(nameOf(store, key)) ?? null,
    set: async (store, key, value) => void values.set(nameOf(store, key), value.slice()),
    delete: async (store, key) => void values.delete(nameOf(store, key)),
  }
}

function received(batch: Uint8Array, messages: Map<string, Received>, report: Report): void {
  const { messageData, messageOffsets, infos } = decodeMessageWireBatch(batch)
  for (const [index, info] of infos.entries()) {
    const bytes = messageData.subarray(messageOffsets[index], messageOffsets[index + 1])
    const message = decodeProto('Message', bytes) as proto.IMessage
    if (message.protocolMessage) continue
    messages.set(info.id, { info, message })
    const { id, chat, isFromMe: fromMe } = info
    const text = message.conversation ?? message.extendedTextMessage?.text ?? ''
    report({ is: 'message', id, chat, text, fromMe })
  }
}

function tell(event: WhatsAppEvent, report: Report, calls: Map<string, Call>): void {
  for (const told of eventsOf(event, calls)) report(told)
}

function eventsOf(event: WhatsAppEvent, calls: Map<string, Call>): ClientEvent[] {
  switch (event.type) {
    case 'connected':
      return [{ is: 'open' }]
    case 'logged_out':
      return [{ is: 'closed', reason: event.data.reason }]
    case 'disconnected':
      return [{ is: 'closed', reason: 'lost' }]
    case 'receipt': {
      const type = String(event.data.type).toLowerCase()
      return event.data.message_ids.map((id) => ({ is: 'receipt', id, type }))
    }
    case 'presence':
      return [
        {
          is: 'presence',
          from: jidOf(event.data.from),
          state: event.data.unavailable ? 'unavailable' : 'available',
        },
      ]
    case 'chat_presence':
      return [{ is: 'presence', from: jidOf(event.data.source.chat), state: event.data.state }]
    case 'incoming_call': {
      const { type: state, call_id: id, call_creator: creator } = event.data.action
      calls.set(id, { peer: jidOf(event.data.from), creator: jidOf(creator) })
      return [{ is: 'call', id, state }]
    }
    case 'archive_update':
      return [settingOf(event.data.jid, 'archive', event.data.action.archived)]
    case 'mute_update':
      return [settingOf(event.data.jid, 'mute', event.data.action.muted)]
    case 'pin_update':
      return [settingOf(event.data.jid, 'pin', event.data.action.pinned)]
    default:
      return []
  }
}

function settingOf(
  jid: WireJid,
  setting: 'archive' | 'mute' | 'pin',
  on: boolean | null | undefined,
): ClientEvent {
  return { is: 'setting', chat: jidOf(jid), setting, on: on === true }
}

/** Without the device. */
function jidOf({ user, server }: WireJid): string {
  return `${user}@${server}`
}
