import { createHash, randomBytes } from 'node:crypto'
import { type GatewayServices, isSameSecret, type PluginDb, type Row } from 'wamux/plugin'

export interface Link {
  /** SHA-256 of its token. */
  readonly id: string
  /** Id of the session. */
  readonly session: string
  /** SHA-256 of the cookie of the browser that opened it; '' until then. */
  readonly holder: string
  /** '' for the language of the browser. */
  readonly language: string
  readonly state: 'new' | 'opened' | 'linked' | 'revoked'
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

export interface NewLink {
  readonly session: string
  readonly language: string
  readonly expiresAt: number
  /** Id of the caller that creates it, with which the link ends; '' for a token. */
  readonly creator: string
}

/** The links of all sessions. Their tokens and cookies are stored only as hashes. */
export interface Links {
  /** Reads the sessions with an opened link. */
  load(): Promise<void>
  /** Resolves with the token of a new link; earlier links of the session are revoked. */
  create(link: NewLink): Promise<string>
  /** The link of a token, even if no longer valid; it is revoked if the key that created it has ended. */
  find(token: string): Promise<Link | undefined>
  /** Binds a new link to the browser with this cookie; false if another one has opened it, or it is no longer valid. */
  open(link: Link, cookie: string): Promise<boolean>
  /** Ends the usable links of a session; returns whether one of them was opened. */
  revoke(session: string): Promise<boolean>
  /** Marks the opened link of a newly linked session as used. */
  finish(session: string): Promise<void>
  /** Deletes the links that expired before `time`. */
  prune(time: number): Promise<void>
}

interface Deps {
  db: PluginDb
  keys?: GatewayServices['keys'] | undefined
}

export function createLinks({ db, keys }: Deps): Links {
  const table = db.table('links')
  /** Sessions with an opened link, looked up at each login of a session. */
  const opened = new Set<string>()

  return {
    async load() {
      for (const row of await db.read<Row>(table).where({ state: 'opened' }))
        opened.add(String(row['session']))
    },
    async create({ session, language, expiresAt, creator }) {
      const token = newSecret()
      const row = { id: hashOf(token), session, holder: '', language, state: 'new', creator }
      await db.transact(async (trx) => {
        await trx(table).where({ session }).whereIn('state', ['new', 'opened']).update({ state: 'revoked' })
        await trx(table).insert({ ...row, expires_at: expiresAt })
      })
      opened.delete(session)
      return token
    },
    async find(token) {
      if (!isSecret(token)) return undefined
      const row = await db
        .read<Row>(table)
        .where({ id: hashOf(token) })
        .first()
      if (!row) return undefined
      const link = fromRow(row)
      const creator = String(row['creator'])
      const isOver = creator !== '' && link.state !== 'linked' && !(await keys?.isValid(creator))
      return isOver ? { ...link, state: 'revoked' } : link
    },
    async open({ id, session }, cookie) {
      if (!isSecret(cookie)) return false
      const change = { state: 'opened', holder: hashOf(cookie) }
      const count = await db.transact((trx) => trx(table).where({ id, state: 'new' }).update(change))
      if (count > 0) opened.add(session)
      return count > 0
    },
    async revoke(session) {
      const isOpened = opened.delete(session)
      await db.transact((trx) =>
        trx(table).where({ session }).whereIn('state', ['new', 'opened']).update({ state: 'revoked' }),
      )
      return isOpened
    },
    async finish(session) {
      if (!opened.delete(session)) return
      await db.transact((trx) => trx(table).where({ session, state: 'opened' }).update({ state: 'linked' }))
    },
    prune: async (time) => {
      await db.prune('links', (query) => query.where('expires_at', '<', time))
    },
  }
}

/** 256 random bits in 43 characters. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

export function isSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}

/** Whether the link was opened by the browser with this cookie. */
export function isHolder({ holder }: Link, cookie: string): boolean {
  return isSameSecret(holder, hashOf(cookie))
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

function fromRow(row: Row): Link {
  return {
    id: String(row['id']),
    session: String(row['session']),
    holder: String(row['holder']),
    language: String(row['language']),
    state: row['state'] as Link['state'],
    expiresAt: Number(row['expires_at']),
  }
}
