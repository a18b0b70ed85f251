import { type Signal, signal } from '@preact/signals'
import { api, of, textOf } from '../../api.ts'
import { follow, type Live, type LiveEvent } from '../../live.ts'
import type { FaultKind, FaultView, ListedMessage, PhoneSession, PhoneView, StanzaLine } from './types.ts'

/** Most messages kept per chat. */
export const MAX_MESSAGES = 300
const MAX_STANZAS = 200
const PAGE = 50
const TYPING_MS = 6_000

/** The data of the screen, kept up to date by one stream. */
export interface Model {
  readonly phones: Signal<readonly PhoneView[] | undefined>
  readonly sessions: Signal<readonly PhoneSession[]>
  readonly faults: Signal<{ Faults: readonly FaultView[]; Kinds: readonly FaultKind[] }>
  readonly stanzas: Signal<readonly StanzaLine[]>
  readonly isPaused: Signal<boolean>
  readonly error: Signal<string>
  readonly live: Live
  /** Unread messages by phone and chat. */
  readonly unread: Signal<Readonly<Record<string, number>>>
  /** Who is typing, by phone and chat. */
  readonly typing: Signal<Readonly<Record<string, string>>>
  /** The messages of a chat, read at the first request. */
  chat(phone: string, chat: string): Signal<readonly ListedMessage[] | undefined>
  earlier(phone: string, chat: string): Promise<void>
  /** Runs an action of a phone; its failure is shown. */
  act(phone: string, action: object): Promise<Record<string, string> | undefined>
  /** Runs something that may fail; the failure is shown. */
  attempt<T>(work: () => Promise<T>): Promise<T | undefined>
  readSessions(): Promise<void>
  close(): void
}

export const keyOf = (phone: string, chat: string): string => `${phone} ${chat}`

export function createModel(): Model {
  const phones: Model['phones'] = signal(undefined)
  const sessions: Model['sessions'] = signal([])
  const faults: Model['faults'] = signal({ Faults: [], Kinds: [] })
  const stanzas: Model['stanzas'] = signal([])
  const unread: Model['unread'] = signal({})
  const typing: Model['typing'] = signal({})
  const isPaused = signal(false)
  const error = signal('')
  const chats = new Map<string, Signal<readonly ListedMessage[] | undefined>>()
  let waiting: StanzaLine[] = []
  let isDrawing = false

  async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await work()
      error.value = ''
      return result
    } catch (failure) {
      error.value = textOf(failure)
      return undefined
    }
  }

  const readPhones = once(async () => {
    const { Phones } = await api.call<{ Phones: PhoneView[] }>('get', '/sandbox/phones')
    phones.value = Phones
    const counts: Record<string, number> = {}
    for (const { Phone } of Phones.slice(0, 20)) {
      const { Chats } = await api.call<{ Chats: { Chat: string; Unread: number }[] }>(
        'get',
        `/sandbox/phones/${Phone}/chats`,
      )
      for (const { Chat, Unread } of Chats) counts[keyOf(Phone, Chat)] = Unread
    }
    unread.value = counts
  })
  const readFaults = once(async () => {
    faults.value = await api.call('get', '/sandbox/faults')
  })
  const readSessions = once(async () => {
    const { Sessions } = await api.call<{ Sessions: PhoneSession[] }>('get', '/session/summary')
    const shown = Sessions.map(({ Id, Name, JID, State }) => ({ Id, Name, JID, State }))
    if (JSON.stringify(shown) !== JSON.stringify(sessions.value)) sessions.value = shown
  })

  async function page(phone: string, chat: string, before?: number): Promise<readonly ListedMessage[]> {
    const input = { limit: PAGE, ...(before ? { before } : {}) }
    const path = `/sandbox/phones/${phone}/chats/${encodeURIComponent(chat)}`
    return (await api.call<{ Messages: ListedMessage[] }>('get', path, input)).Messages
  }

  async function readChat(key: string): Promise<void> {
    const [phone = '', chat = ''] = key.split(' ')
    const messages = await page(phone, chat)
    const own = chats.get(key)
    if (own) own.value = messages
  }

  function readAll(): void {
    void attempt(() =>
      Promise.all([readPhones(), readFaults(), readSessions(), ...[...chats.keys()].map(readChat)]),
    )
  }

  function put(phone: string, message: ListedMessage): void {
    const key = keyOf(phone, message.Chat)
    if (!message.FromMe) readPhones().catch(() => undefined)
    if (typing.value[key]) typing.value = { ...typing.value, [key]: '' }
    const own = chats.get(key)
    if (!own?.value) return
    const at = own.value.findIndex(({ Seq }) => Seq === message.Seq)
    own.value = at < 0 ? [...own.value, message].slice(-MAX_MESSAGES) : own.value.with(at, message)
  }

  function showTyping(phone: string, chat: string, state: string): void {
    const key = keyOf(phone, chat)
    typing.value = { ...typing.value, [key]: state === 'paused' ? '' : state }
    if (state !== 'paused') setTimeout(() => showTyping(phone, chat, 'paused'), TYPING_MS)
  }

  /** The list is rendered once per frame, however many stanzas there are. */
  function draw(): void {
    isDrawing = false
    if (isPaused.value) return
    stanzas.value = [...stanzas.value, ...waiting].slice(-MAX_STANZAS)
    waiting = []
  }

  function onEvent({ id, data }: LiveEvent): void {
    const { Kind, Phone } = data
    if (Kind === 'stanza') {
      const { Time, Device, Direction, Stanza } = data
      waiting.push({
        key: id,
        time: Time,
        phone: Phone,
        device: Device,
        direction: Direction,
        stanza: Stanza,
      })
      if (waiting.length > MAX_STANZAS) waiting.shift()
      if (!isDrawing) requestAnimationFrame(draw)
      isDrawing = true
    } else if (Kind === 'message' && data.Message) put(Phone, data.Message)
    else if (Kind === 'typing') showTyping(Phone, data.Chat, data.State)
    else if (Kind === 'phone') void attempt(() => Promise.all([readPhones(), readSessions()]))
    else if (Kind === 'fault') void attempt(readFaults)
    else if (Kind === 'reset') readAll()
  }

  const live = follow('/sandbox/stream?stanzas=true', onEvent)
  readAll()

  return {
    phones,
    sessions,
    faults,
    stanzas,
    isPaused,
    error,
    live,
    unread,
    typing,
    attempt,
    readSessions,
    chat(phone, chat) {
      const key = keyOf(phone, chat)
      const known = chats.get(key)
      if (known) return known
      const own: Signal<readonly ListedMessage[] | undefined> = signal(undefined)
      chats.set(key, own)
      void attempt(() => readChat(key))
      return own
    },
    async earlier(phone, chat) {
      const own = chats.get(keyOf(phone, chat))
      const first = own?.value?.[0]
      if (!own?.value || !first) return
      const older = await attempt(() => page(phone, chat, first.Seq))
      if (older) own.value = [...older, ...own.value].slice(0, MAX_MESSAGES)
    },
    act: (phone, action) =>
      attempt(() => api.call<Record<string, string>>('post', `/sandbox/phones/${phone}/actions`, action)),
    close() {
      live.close()
      chats.clear()
    },
  }
}

/** Name of the session that `setUp` links. */
const DEMO = 'demo'

/** Creates two phones and a session that the first one links by scanning its code. */
export async function setUp(model: Model, show: (qr: string) => Promise<void>): Promise<void> {
  const known = model.phones.value ?? []
  for (const Name of ['Shop', 'Ana'].slice(known.length)) await api.call('post', '/sandbox/phones', { Name })
  const { Phones } = await api.call<{ Phones: PhoneView[] }>('get', '/sandbox/phones')
  const owner = Phones[0]
  if (!owner || owner.Companions.length > 0) return
  const all = await api.call<{ Id: string; Name: string }[]>('get', '/session/all')
  // Left by an earlier run with a phone on another network.
  const earlier = all.find(({ Name }) => Name === DEMO)
  const { Id } = earlier ?? (await api.call<{ Id: string }>('post', '/session/init', { Name: DEMO }))
  await api.call('post', '/session/connect', { Immediate: false }, of(Id))
  await model.readSessions()
  const { QRCode } = await api.call<{ QRCode: string }>('get', '/session/qr', undefined, of(Id))
  await show(QRCode)
  await api.call('post', `/sandbox/phones/${owner.Phone}/scan`, { QRCode })
}

/** While it runs, further calls only make it run once more. */
function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let isStale = false
  async function run(): Promise<void> {
    do {
      isStale = false
      await work()
    } while (isStale)
  }
  return () => {
    isStale = running !== undefined
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }
}
