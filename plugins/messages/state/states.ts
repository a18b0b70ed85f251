import type { GatewaySignals, PluginDb, Row, Vault, Viewer, Write } from 'wamux/plugin'

const STATES = ['Pending', 'Error', 'Sent', 'Delivered', 'Read', 'Played'] as const
export type State = (typeof STATES)[number]

export interface Reached {
  message: string
  fromMe: boolean
  state: State
  chat: string
  /** RFC 3339 */
  time: string
}

/** The delivery states of messages, from acks and receipts. */
export interface States {
  /** The write of the states reached, committed with its event. */
  enter(session: string, reached: readonly Reached[]): Write[]
  /** The furthest state of a message that the viewer sees; the own message's if two have the same id. */
  find(session: string, message: string, viewer: Viewer): Promise<Reached | undefined>
  /** Each state that an own message reached in a chat that the viewer sees, with its first time. */
  reached(session: string, message: string, viewer: Viewer): Promise<Reached[]>
  /** When the first and the last state that the viewer sees were logged, milliseconds since 1970. */
  span(session: string, message: string, viewer: Viewer): Promise<{ first: number; last: number } | undefined>
}

/** Recent messages, whose sealed chats are reused: each group member sends receipts for the same message. */
const MAX_SEALED = 500

export function createStates({ db, vault }: { db: PluginDb; vault: Vault }): States {
  const placeOf = (message: string): string => `messages_states/${message}`
  const sealed = new Map<string, Buffer>()

  /** The states of a message have the same sealed chat. */
  function sealChat(session: string, message: string, chat: string): Buffer {
    const name = `${session} ${message} ${chat}`
    const known = sealed.get(name)
    if (known) return known
    const made = vault.seal(session, placeOf(message), chat)
    const [oldest = ''] = sealed.size >= MAX_SEALED ? sealed.keys() : []
    sealed.delete(oldest)
    sealed.set(name, made)
    return made
  }

  /** Each row has its own chat, because a receipt may name a message of another one. */
  async function seen(
    session: string,
    message: string,
    viewer: Viewer,
  ): Promise<{ row: Row; chat: string }[]> {
    const rows: Row[] = await db.read<Row>(db.table('states')).where({ session, message })
    const found = rows.map((row) => {
      return { row, chat: vault.open(session, placeOf(message), row['chat'] as Buffer).toString() }
    })
    const isSeen = await Promise.all(found.map(({ chat }) => viewer.seesChat(session, chat)))
    return found.filter((_, at) => isSeen[at])
  }

  return {
    enter(session, reached) {
      const rows = reached.map(({ message, fromMe, state, time, ...rest }) => {
        const chat = sealChat(session, message, rest.chat)
        return { session, message, from_me: fromMe, state, chat, time, logged: Date.now() }
      })
      return rows.length > 0 ? [db.add('states', ['session', 'message', 'from_me', 'state'], rows)] : []
    },
    async find(session, message, viewer) {
      const all = (await seen(session, message, viewer)).map(({ row, chat }) => toReached(row, chat))
      const own = all.filter(({ fromMe }) => fromMe)
      return (own.length > 0 ? own : all).sort((a, b) => rank(b) - rank(a))[0]
    },
    async reached(session, message, viewer) {
      const all = await seen(session, message, viewer)
      return all.map(({ row, chat }) => toReached(row, chat)).filter(({ fromMe }) => fromMe)
    },
    async span(session, message, viewer) {
      const logged = (await seen(session, message, viewer)).map(({ row }) => Number(row['logged']))
      return logged.length > 0 ? { first: Math.min(...logged), last: Math.max(...logged) } : undefined
    },
  }
}

const BY_RECEIPT = {
  delivered: 'Delivered',
  read: 'Read',
  'read-self': 'Read',
  played: 'Played',
  'played-self': 'Played',
} as const

/** The states that a receipt reports: another account's for own messages, an own device's for received ones. */
export function reachedBy({ ids, type, fromMe, chat, time }: GatewaySignals['receipt']): Reached[] {
  const isOwnAct = type === 'read-self' || type === 'played-self'
  if (fromMe !== isOwnAct) return []
  return ids.map((message) => ({ message, fromMe: !isOwnAct, state: BY_RECEIPT[type], chat, time }))
}

function rank({ state }: Reached): number {
  return STATES.indexOf(state)
}

function toReached(row: Row, chat: string): Reached {
  return {
    message: String(row['message']),
    // SQLite keeps booleans as numbers.
    fromMe: Boolean(row['from_me']),
    state: String(row['state']) as State,
    chat,
    time: String(row['time']),
  }
}
