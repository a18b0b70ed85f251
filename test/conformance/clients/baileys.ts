import type {
  proto,
  SignalDataSet,
  SignalDataTypeMap,
  SignalKeyStore,
  WAMessage,
  WAMessageKey,
  WASocket,
} from 'baileys-7'
import type { Client, CreateClient, Report } from '../protocol.ts'

type Library = typeof import('baileys-7')
type Keys = Map<string, Map<string, unknown>>

const WEEK_MS = 7 * 24 * 3600 * 1000
/** The server asks for a new connection, with which linking ends. */
const RESTART = 515
const STATUS: Readonly<Record<number, string>> = { 3: 'delivered', 4: 'read', 5: 'played' }

/** Clients of unmodified Baileys 6 or 7, which have the functions used here in common. Their store is kept in memory. */
export async function loadBaileys(name: 'baileys-6' | 'baileys-7'): Promise<CreateClient> {
  const library: Library = await import(name)
  return (network, report) => createBaileys(library, network.url, report)
}

function createBaileys(library: Library, waWebSocketUrl: string, report: Report): Client {
  const creds = library.initAuthCreds()
  const auth = { creds, keys: createKeys() }
  const messages = new Map<string, WAMessage>()
  const callers = new Map<string, string>()
  let socket: WASocket | undefined
  let isWanted = false
  const opened = (): WASocket => {
    if (!socket) throw new Error('not connected')
    return socket
  }

  function open(): WASocket {
    isWanted = true
    const made = library.default({ waWebSocketUrl, auth })
    socket = made
    made.ev.on('creds.update', (change) => Object.assign(creds, change))
    reportEvents(made, report, messages, callers)
    made.ev.on('connection.update', ({ connection, lastDisconnect }) => {
      if (connection === 'open') report({ is: 'open' })
      if (connection !== 'close' || socket !== made) return
      const code = codeOf(lastDisconnect?.error)
      report({ is: 'closed', reason: `${code} ${lastDisconnect?.error?.message ?? ''}` })
      if (code === RESTART && isWanted) open()
    })
    return made
  }

  return {
    async link(phone) {
      const made = open()
      let isRequested = false
      made.ev.on('connection.update', ({ qr }) => {
        if (!qr) return
        if (phone === undefined) return report({ is: 'qr', text: qr })
        if (isRequested) return undefined
        isRequested = true
        void made.requestPairingCode(phone).then((code) => report({ is: 'code', code }))
        return undefined
      })
    },
    async connect() {
      open()
    },
    async disconnect() {
      isWanted = false
      await opened().end(undefined)
    },
    text: async (chat, text) => idOf(await opened().sendMessage(chat, { text })),
    image: async (chat, image) => idOf(await opened().sendMessage(chat, { image: Buffer.from(image) })),
    async download(id) {
      const message = messages.get(id)
      if (!message) throw new Error(`no message ${id}`)
      return library.downloadMediaMessage(message, 'buffer', {})
    },
    createGroup: async (subject, members) => (await opened().groupCreate(subject, members)).id,
    leaveGroup: (group) => opened().groupLeave(group),
    read: (id) => opened().readMessages([keyOf(messages, id)]),
    type: (chat) => opened().sendPresenceUpdate('composing', chat),
    goOnline: () => opened().sendPresenceUpdate('available'),
    watch: (person) => opened().presenceSubscribe(person),
    rejectCall: (id) => opened().rejectCall(id, callers.get(id) ?? ''),
    async setChat(chat, setting) {
      const newest = [...messages.values()].filter(({ key }) => key.remoteJid === chat).slice(-1)
      if (setting === 'archive') await opened().chatModify({ archive: true, lastMessages: newest }, chat)
      else if (setting === 'pin') await opened().chatModify({ pin: true }, chat)
      else await opened().chatModify({ mute: Date.now() + WEEK_MS }, chat)
    },
    async createNewsletter(name) {
      await acceptTerms(opened())
      return (await opened().newsletterCreate(name)).id
    },
    followNewsletter: async (newsletter) => void (await opened().newsletterFollow(newsletter)),
  }
}

/** The terms for newsletters, which Baileys has no function for. */
async function acceptTerms(socket: WASocket): Promise<void> {
  const notice = { tag: 'notice', attrs: { id: '20601218', stage: '5' } }
  const attrs = { to: 's.whatsapp.net', type: 'set', xmlns: 'tos', id: socket.generateMessageTag() }
  await socket.query({ tag: 'iq', attrs, content: [notice] })
}

function reportEvents(
  socket: WASocket,
  report: Report,
  messages: Map<string, WAMessage>,
  callers: Map<string, string>,
): void {
  const reportStatus = (id: string, status: proto.WebMessageInfo.Status | null | undefined): void => {
    const type = STATUS[status ?? 0]
    if (type) report({ is: 'receipt', id, type })
  }
  socket.ev.on('messages.upsert', (upsert) => {
    for (const message of upsert.messages) {
      const { key, message: content, status } = message
      const id = key.id ?? ''
      if (key.fromMe) reportStatus(id, status)
      if (!content || content.protocolMessage) continue
      messages.set(id, message)
      const text = content.conversation ?? content.extendedTextMessage?.text ?? ''
      report({ is: 'message', id, chat: key.remoteJid ?? '', text, fromMe: key.fromMe === true })
    }
  })
  socket.ev.on('messages.update', (updates) => {
    for (const { key, update } of updates) reportStatus(key.id ?? '', update.status)
  })
  socket.ev.on('message-receipt.update', (updates) => {
    for (const { key, receipt } of updates)
      report({ is: 'receipt', id: key.id ?? '', type: receipt.readTimestamp ? 'read' : 'delivered' })
  })
  socket.ev.on('presence.update', ({ id, presences }) => {
    for (const { lastKnownPresence } of Object.values(presences))
      report({ is: 'presence', from: id, state: lastKnownPresence })
  })
  socket.ev.on('call', (calls) => {
    for (const { id, from, status } of calls) {
      callers.set(id, from)
      report({ is: 'call', id, state: status })
    }
  })
  socket.ev.on('chats.update', (updates) => {
    for (const { id: chat = '', archived, muteEndTime, pinned } of updates) {
      if (typeof archived === 'boolean')
        report({ is: 'setting', chat: chat ?? '', setting: 'archive', on: archived })
      if (muteEndTime !== undefined)
        report({ is: 'setting', chat: chat ?? '', setting: 'mute', on: muteEndTime !== null })
      if (pinned !== undefined)
        report({ is: 'setting', chat: chat ?? '', setting: 'pin', on: Boolean(pinned) })
    }
  })
}

function idOf(sent: WAMessage | undefined): string {
  return sent?.key.id ?? ''
}

function keyOf(messages: ReadonlyMap<string, WAMessage>, id: string): WAMessageKey {
  const found = messages.get(id)
  if (!found) throw new Error(`no message ${id}`)
  return found.key
}

/** The status code of a Boom error. */
function codeOf(error: Error | undefined): number {
  if (!error || !('output' in error)) return 0
  const { output } = error as Error & { output: { statusCode: number } }
  return output.statusCode
}

function createKeys(): SignalKeyStore {
  const stored: Keys = new Map()
  return {
    get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]) {
      const found: { [id: string]: SignalDataTypeMap[T] } = {}
      for (const id of ids) {
        const value = stored.get(type)?.get(id)
        if (value !== undefined) found[id] = value as SignalDataTypeMap[T]
      }
      return found
    },
    set(data: SignalDataSet) {
      for (const [type, values] of Object.entries(data)) {
        const known = stored.get(type) ?? new Map<string, unknown>()
        stored.set(type, known)
        for (const [id, value] of Object.entries(values ?? {})) {
          if (value === null) known.delete(id)
          else known.set(id, value)
        }
      }
    },
  }
}
