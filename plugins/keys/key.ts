import { createHash, randomBytes } from 'node:crypto'
import type { Row, Scope, Session, Vault } from 'wamux/plugin'

/** The sessions of a key: all, those with a label, or those listed by id. */
export type SessionChoice = 'all' | { readonly label: string } | { readonly ids: readonly string[] }

/** A key, without its secret. */
export interface Key {
  readonly id: string
  readonly hash: string
  readonly old?: { readonly hash: string; readonly until: number } | undefined
  /** The session whose token created it; undefined for the admin. */
  readonly owner: string | undefined
  readonly name: string
  readonly hint: string
  readonly scopes: readonly Scope[]
  readonly sessions: SessionChoice
  /** JIDs of the only chats that it may address and read; undefined for all. */
  readonly chats: readonly string[] | undefined
  readonly createdAt: number
  readonly expiresAt: number | undefined
  readonly lastUse: number | undefined
}

const PREFIX = 'wmx_'

export function newSecret(): { secret: string; hash: string; hint: string } {
  const secret = `${PREFIX}${randomBytes(24).toString('hex')}`
  return { secret, hash: hashOf(secret), hint: secret.slice(0, PREFIX.length + 4) }
}

export const isSecret = (text: string): boolean => /^wmx_[0-9a-f]{48}$/.test(text)

export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** Whether the key is for the session. */
export function covers({ sessions }: Key, { id, labels }: Session): boolean {
  if (sessions === 'all') return true
  if ('ids' in sessions) return sessions.ids.includes(id)
  const [name = '', ...value] = sessions.label.split(':')
  return Object.hasOwn(labels, name) && labels[name] === value.join(':')
}

/** The only session on a key's list; undefined if it may have several. */
export function onlySession({ sessions }: Pick<Key, 'sessions'>): string | undefined {
  return typeof sessions === 'object' && 'ids' in sessions && sessions.ids.length === 1
    ? sessions.ids[0]
    : undefined
}

const placeOf = (id: string): string => `keys_keys/${id}`

export function toRow(vault: Vault, key: Key): Row {
  const session = onlySession(key)
  return {
    id: key.id,
    hash: key.hash,
    old_hash: key.old?.hash ?? null,
    old_until: key.old?.until ?? null,
    owner: key.owner ?? null,
    session: session ?? null,
    name: key.name,
    hint: key.hint,
    scopes: JSON.stringify(key.scopes),
    sessions: JSON.stringify(key.sessions),
    chats: key.chats && session ? vault.seal(session, placeOf(key.id), JSON.stringify(key.chats)) : null,
    created_at: key.createdAt,
    expires_at: key.expiresAt ?? null,
    last_use: key.lastUse ?? null,
    changed_at: Date.now(),
  }
}

export function fromRow(vault: Vault, row: Row): Key {
  const text = (column: string): string => String(row[column])
  const time = (column: string): number | undefined => (row[column] == null ? undefined : Number(row[column]))
  const { chats, old_hash: old } = row
  return {
    id: text('id'),
    hash: text('hash'),
    old: old == null ? undefined : { hash: String(old), until: time('old_until') ?? 0 },
    owner: row['owner'] == null ? undefined : text('owner'),
    name: text('name'),
    hint: text('hint'),
    scopes: JSON.parse(text('scopes')) as Scope[],
    sessions: JSON.parse(text('sessions')) as SessionChoice,
    chats:
      chats == null
        ? undefined
        : JSON.parse(vault.open(text('session'), placeOf(text('id')), chats as Buffer).toString()),
    createdAt: Number(row['created_at']),
    expiresAt: time('expires_at'),
    lastUse: time('last_use'),
  }
}
