import type { proto as Proto, WASocket } from '@whiskeysockets/baileys'
import { proto } from '../baileys.ts'
import type { CollectionRequest, SettingsRequests, StoredCreds } from '../protocol/credentials.ts'
import { messageId } from '../protocol/message-id.ts'

export interface PhoneRequestParts {
  wa: Pick<WASocket, 'user'>
  /** Resolves when the network has accepted the message. */
  sendToPhone(id: string, message: Proto.Message.IProtocolMessage, verb: string): Promise<void>
  creds: StoredCreds
  /** Resolves when the credentials are committed. */
  save(): Promise<void>
  warn(details: object, text: string): void
}

/**
 * What the account's phone is asked for when settings can't be read. The requests are stored with the credentials: the phone may be
 * off for days, and a link that comes and goes must not ask again.
 */
export interface PhoneRequests {
  /** Asks for keys, each once a day; the collection is read again when keys come. */
  keys(ids: readonly string[], collection: string): Promise<void>
  /** The network's copy of a collection is wrong: asks for it, once an hour, or a day while the phone does not answer. */
  collection(name: string): Promise<void>
  /** The collection that was last requested with this id, if it is not answered yet. */
  collectionOf(id: string): string | undefined
  /** The stored copy of the collection is wrong: it is no base for changes until it is replaced. */
  foundWrong(collection: string): Promise<void>
  isWrong(collection: string): boolean
  /** The collection is readable again. */
  settled(collection: string): Promise<void>
  /** The collections that are wrong, or wait for keys. */
  unread(): readonly string[]
}

const { APP_STATE_SYNC_KEY_REQUEST, PEER_DATA_OPERATION_REQUEST_MESSAGE } = proto.Message.ProtocolMessage.Type
const { COMPANION_SYNCD_SNAPSHOT_FATAL_RECOVERY } = proto.Message.PeerDataOperationRequestType
const HOUR_MS = 3_600_000
/** As whatsmeow (appstate.go); WhatsApp Web repeats it every six hours. */
const DAY_MS = 24 * HOUR_MS
const MAX_KEYS = 100
const NONE: SettingsRequests = { keys: {}, collections: {}, waiting: [] }

/** A request is stored once the network has it: one that a crash has prevented is made again. */
export function createPhoneRequests({
  wa,
  sendToPhone,
  creds,
  save,
  warn,
}: PhoneRequestParts): PhoneRequests {
  const requests = (): SettingsRequests => creds.settingsRequests ?? NONE
  /** Being sent: keys, and the ids of requests by collection. */
  const sentKeys = new Set<string>()
  const sentCollections = new Map<string, string>()

  function store(changes: Partial<SettingsRequests>): Promise<void> {
    creds.settingsRequests = { ...requests(), ...changes }
    return save()
  }

  const storeCollection = (name: string, request: CollectionRequest): Promise<void> =>
    store({ collections: { ...requests().collections, [name]: request } })

  /** Whether it was sent; what could not be sent is asked for again. */
  async function ask(id: string, message: Proto.Message.IProtocolMessage): Promise<boolean> {
    try {
      await sendToPhone(id, message, 'ask the phone for settings')
      return true
    } catch (error) {
      warn({ err: error }, "the phone can't be asked for settings")
      return false
    }
  }

  async function askForKeys(ids: readonly string[]): Promise<void> {
    for (const id of ids) sentKeys.add(id)
    const keyIds = ids.map((id) => ({ keyId: Buffer.from(id, 'base64') }))
    const message = { type: APP_STATE_SYNC_KEY_REQUEST, appStateSyncKeyRequest: { keyIds } }
    const isSent = await ask(messageId(wa.user?.id), message)
    for (const id of ids) sentKeys.delete(id)
    if (!isSent) return
    const recent = Object.entries(requests().keys).filter(([, at]) => at > Date.now() - DAY_MS)
    const now = ids.map((id) => [id, Date.now()] as const)
    await store({ keys: Object.fromEntries([...recent, ...now].slice(-MAX_KEYS)) })
  }

  async function askForCollection(name: string): Promise<void> {
    const id = messageId(wa.user?.id)
    sentCollections.set(name, id)
    const timestamp = Math.floor(Date.now() / 1000)
    const peerDataOperationRequestMessage = {
      peerDataOperationRequestType: COMPANION_SYNCD_SNAPSHOT_FATAL_RECOVERY,
      syncdCollectionFatalRecoveryRequest: { collectionName: name, timestamp },
    }
    const isSent = await ask(id, {
      type: PEER_DATA_OPERATION_REQUEST_MESSAGE,
      peerDataOperationRequestMessage,
    })
    // Unless it is answered already.
    const isOpen = sentCollections.delete(name)
    const isWrong = requests().collections[name]?.isWrong ?? false
    if (isSent) await storeCollection(name, { at: Date.now(), isWrong, ...(isOpen ? { id } : {}) })
  }

  return {
    async keys(ids, collection) {
      const { waiting } = requests()
      if (!waiting.includes(collection)) await store({ waiting: [...waiting, collection] })
      const { keys } = requests()
      const wanted = ids.filter((id) => !sentKeys.has(id) && (keys[id] ?? 0) <= Date.now() - DAY_MS)
      if (wanted.length > 0) await askForKeys(wanted)
    },
    async collection(name) {
      const { at = 0, id } = requests().collections[name] ?? {}
      const isDue = at <= Date.now() - (id ? DAY_MS : HOUR_MS)
      if (isDue && !sentCollections.has(name)) await askForCollection(name)
    },
    collectionOf(id) {
      const stored = Object.entries(requests().collections).map(([name, one]) => [name, one.id] as const)
      return [...stored, ...sentCollections].find(([, one]) => one === id)?.[0]
    },
    async foundWrong(name) {
      const { at = 0, isWrong, ...request } = requests().collections[name] ?? {}
      if (!isWrong) await storeCollection(name, { at, ...request, isWrong: true })
    },
    isWrong: (name) => requests().collections[name]?.isWrong === true,
    async settled(name) {
      sentCollections.delete(name)
      const { collections, waiting } = requests()
      const { at, id, isWrong } = collections[name] ?? {}
      if (at !== undefined && (id || isWrong)) await storeCollection(name, { at, isWrong: false })
      if (waiting.includes(name)) await store({ waiting: waiting.filter((one) => one !== name) })
    },
    unread() {
      const { collections, waiting } = requests()
      const wrong = Object.keys(collections).filter((name) => collections[name]?.isWrong)
      return [...new Set([...wrong, ...waiting])]
    },
  }
}
