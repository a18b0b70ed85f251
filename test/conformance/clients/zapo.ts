import { randomBytes } from 'node:crypto'
import { WaClient, type WaClientEventMap } from 'zapo-js/client'
import type { ChatSetting, Client, CreateClient, NetworkAddress, Report } from '../protocol.ts'
import { NotOffered } from './not-offered.ts'
import { createMemoryStore } from './zapo-store.ts'

type Incoming = Parameters<WaClientEventMap['message']>[0]

/** The serial that intermediate certificates name as their issuer. */
const ROOT_SERIAL = 0
const WEEK_MS = 7 * 24 * 3600 * 1000
const RECEIPTS: Readonly<Record<string, string>> = { read: 'read', played: 'played' }

/** A client of zapo-js, which verifies certificates, signatures and MACs. Its store is kept in memory. */
export const createZapo: CreateClient = (network, report) => {
  const client = newClient(network)
  const messages = new Map<string, Incoming>()
  const calls = new Map<string, string>()
  const reportEvents = eventsOf(client, report, messages, calls)
  reportEvents()
  const messageOf = (id: string): Incoming => {
    const found = messages.get(id)
    if (!found) throw new Error(`no message ${id}`)
    return found
  }

  const driver: Client = {
    async link(phone) {
      const hasRefs = new Promise<void>((resolve) => client.once('auth_qr', () => resolve()))
      await client.connect()
      if (phone === undefined) return
      await hasRefs
      report({ is: 'code', code: await client.requestPairingCode(phone) })
    },
    connect: () => client.connect(),
    disconnect: () => client.disconnect(),
    async text(chat, text) {
      return (await client.sendMessage(chat, text)).id
    },
    async image(chat, media) {
      return (await client.sendMessage(chat, { type: 'image', media, mimetype: 'image/jpeg' })).id
    },
    async download(id) {
      const image = messageOf(id).message?.imageMessage
      if (!image?.directPath || !image.mediaKey) throw new Error(`message ${id} has no image`)
      const { url, directPath, mediaKey, fileSha256, fileEncSha256 } = image
      return client.mediaTransfer.downloadAndDecrypt({
        mediaType: 'image',
        mediaKey,
        ...(url ? { url } : { directPath }),
        ...(fileSha256 ? { fileSha256 } : {}),
        ...(fileEncSha256 ? { fileEncSha256 } : {}),
      })
    },
    async createGroup(subject, members) {
      const reply = await client.group.createGroup(subject, members)
      const group = Array.isArray(reply.content) ? reply.content[0] : undefined
      return `${group?.attrs['id']}@g.us`
    },
    leaveGroup: async (group) => void (await client.group.leaveGroup([group])),
    async read(id) {
      const { attrs } = messageOf(id).rawNode
      const participant = attrs['participant']
      const who = participant ? { participant } : {}
      await client.sendReceipt({ to: attrs['from'] ?? '', id, type: 'read', ...who })
    },
    type: (to) =>
      client.sendNode({ tag: 'chatstate', attrs: { to }, content: [{ tag: 'composing', attrs: {} }] }),
    goOnline: () => client.sendPresence('available'),
    watch: (to) => client.sendNode({ tag: 'presence', attrs: { type: 'subscribe', to } }),
    async rejectCall(id) {
      const from = calls.get(id) ?? ''
      const reject = { tag: 'reject', attrs: { 'call-id': id, 'call-creator': from, count: '0' } }
      await client.query({
        tag: 'call',
        attrs: { to: from, id: randomBytes(8).toString('hex') },
        content: [reject],
      })
    },
    async setChat(chat, setting) {
      if (setting === 'archive') await client.chat.setChatArchive(chat, true)
      else if (setting === 'pin') await client.chat.setChatPin(chat, true)
      else await client.chat.setChatMute(chat, true, Date.now() + WEEK_MS)
    },
    createNewsletter: async () => noNewsletters(),
    followNewsletter: async () => noNewsletters(),
  }
  return driver
}

function noNewsletters(): never {
  throw new NotOffered('the library has no newsletters')
}

function newClient({ url, rootKey }: NetworkAddress): WaClient {
  const noiseRootCa = { publicKey: rootKey, serial: ROOT_SERIAL }
  return new WaClient({
    store: createMemoryStore(),
    sessionId: 'conformance',
    chatSocketUrls: [url],
    testHooks: { noiseRootCa },
  })
}

function eventsOf(
  client: WaClient,
  report: Report,
  messages: Map<string, Incoming>,
  calls: Map<string, string>,
): () => void {
  const onMessage = (event: Incoming): void => {
    const { stanzaId: id = '', message, rawNode } = event
    if (!message || message.protocolMessage) return
    const chat = rawNode.attrs['recipient'] ?? event.chatJid ?? ''
    const text = message.conversation ?? message.extendedTextMessage?.text ?? ''
    messages.set(id, event)
    report({ is: 'message', id, chat, text, fromMe: rawNode.attrs['recipient'] !== undefined })
  }
  return () => {
    client.on('auth_qr', ({ qr }) => report({ is: 'qr', text: qr }))
    client.on('connection_success', () => report({ is: 'open' }))
    client.on('connection', (event) => {
      if (event.status === 'close') report({ is: 'closed', reason: `${event.reason} ${event.code ?? ''}` })
    })
    client.on('message', onMessage)
    client.on('message_receipt', ({ stanzaId: id = '', stanzaType: type = '' }) =>
      report({ is: 'receipt', id, type: RECEIPTS[type] ?? 'delivered' }),
    )
    client.on('presence', ({ chatJid: from = '', stanzaType: state = 'available' }) =>
      report({ is: 'presence', from, state }),
    )
    client.on('chatstate', ({ chatJid: from = '', rawNode }) => {
      const [state] = Array.isArray(rawNode.content) ? rawNode.content : []
      report({ is: 'presence', from, state: state?.tag ?? '' })
    })
    client.on('call', ({ rawNode }) => {
      const [part] = Array.isArray(rawNode.content) ? rawNode.content : []
      const id = part?.attrs['call-id'] ?? ''
      calls.set(id, rawNode.attrs['from'] ?? '')
      report({ is: 'call', id, state: part?.tag ?? '' })
    })
    client.on('chat_event', ({ chatJid: chat = '', action, archived, muted, pinned }) => {
      const on = (archived ?? muted ?? pinned) === true
      if (isChatSetting(action)) report({ is: 'setting', chat, setting: action, on })
    })
  }
}

function isChatSetting(action: string): action is ChatSetting {
  return action === 'archive' || action === 'mute' || action === 'pin'
}
