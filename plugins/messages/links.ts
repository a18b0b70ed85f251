import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Events, gatewayError, type LogEvent, type PluginDb, type Row } from 'wamux/plugin'
import type { MessagesConfig } from './config.ts'

/** Signed links to files of logged messages: whoever has one needs no token, and it ends. */
export interface Links {
  /** Reads the key that signs, or makes it at the first start. */
  open(): Promise<void>
  make(seq: number): string
  /** The event that a link leads to. Rejects LINK_INVALID. */
  follow(seq: string, query: URLSearchParams): Promise<LogEvent>
}

interface Deps {
  db: PluginDb
  events: Events
  config: MessagesConfig
}

const HOUR_MS = 3_600_000

export function createLinks({ db, events, config }: Deps): Links {
  let key = ''
  const sign = (seq: number, expires: number): string =>
    createHmac('sha256', key).update(`${seq}.${expires}`).digest('base64url')

  return {
    async open() {
      const fresh = { name: 'links', value: randomBytes(32).toString('base64') }
      await db.write([db.add('keys', ['name'], [fresh])])
      const row = await db.read<Row>(db.table('keys')).where({ name: 'links' }).first()
      key = String(row?.['value'])
    },
    make(seq) {
      const expires = Date.now() + Math.round(config.linkHours * HOUR_MS)
      return `${config.publicUrl.replace(/\/$/, '')}/media/${seq}?expires=${expires}&signature=${sign(seq, expires)}`
    },
    async follow(text, query) {
      const seq = Number(text)
      const expires = Number(query.get('expires'))
      const given = Buffer.from(query.get('signature') ?? '')
      const right = Buffer.from(sign(seq, expires))
      const isRight = given.length === right.length && timingSafeEqual(given, right)
      if (!isRight || !(expires > Date.now())) throw gatewayError('LINK_INVALID')
      const [event] = await events.after(seq - 1, 1)
      if (event?.seq !== seq) throw gatewayError('ITEM_UNKNOWN', ['File'])
      return event
    },
  }
}
