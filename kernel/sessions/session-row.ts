import type { Session } from '../types/session.ts'
import type { Row } from '../types/storage.ts'
import type { SessionVault, WrappedKey } from '../vault/vault.ts'
import type { EndedState } from './transitions.ts'

export interface OldToken {
  readonly mac: string
  /** Milliseconds since 1970. */
  readonly until: number
}

/** The part of a session that comes from its link; the rest is stored. */
type OfLink =
  | ('state' | 'reason' | 'cause' | 'isOnRequest' | 'failure' | 'code' | 'until')
  | ('connected' | 'loggedIn' | 'isSlow' | 'lastStanzaAt' | 'socket')

/** How the link of a session ended for good; kept until somebody acts, or until a later link opens. */
export interface Ended extends Pick<Session, 'reason' | 'cause' | 'isOnRequest'> {
  readonly state: EndedState
}

/** The stored part of a session; its `jid` and `lid` include the device. */
export interface SessionRow extends Omit<Session, OfLink> {
  /** Whether a restart of the gateway connects it again. */
  readonly autoConnect: boolean
  readonly ended?: Ended | undefined
  /** The previous token, while it is still valid after a rotation. */
  readonly oldToken?: OldToken | undefined
}

/** Whether it connects without a request: not if that would end the link of another process with the same keys. */
export function isToConnect({ autoConnect, jid, ended }: SessionRow): boolean {
  return autoConnect && jid !== '' && ended?.state !== 'replaced'
}

export function secretsOf(vault: SessionVault, session: SessionRow, { kid, wrapped }: WrappedKey): Row {
  return { id: session.id, ...tokenOf(vault, session), key_id: kid, key: wrapped }
}

export function tokenOf(vault: SessionVault, { id, token }: Pick<SessionRow, 'id' | 'token'>): Row {
  return { token_mac: vault.mac(token), token: vault.seal(id, 'sessions/token', token) }
}

/** All columns except token and key, and the end, which the serving process writes. */
export function toRow(vault: SessionVault, session: SessionRow): Row {
  const { id, name, os, network, labels, webhook, jid, lid } = session
  const sealed = Object.entries({ webhook, jid, lid, labels: JSON.stringify(labels) }).map(
    ([column, text]) => [column, vault.seal(session.id, `sessions/${column}`, text)],
  )
  return {
    id,
    name,
    os,
    network,
    ...Object.fromEntries(sealed),
    subscribe: JSON.stringify(session.subscribe),
    wanted: session.autoConnect,
    created_at: session.createdAt,
  }
}

export function endedOf(vault: SessionVault, { id, ended }: Pick<SessionRow, 'id' | 'ended'>): Row {
  return { ended: ended ? vault.seal(id, 'sessions/ended', JSON.stringify(ended)) : null }
}

export function fromRow(vault: SessionVault, row: Row): SessionRow {
  const text = (column: string): string => String(row[column])
  const open = (column: string): string =>
    vault.open(text('id'), `sessions/${column}`, row[column] as Buffer).toString()
  const until = Number(row['old_token_until'] ?? 0)
  return {
    id: text('id'),
    token: open('token'),
    name: text('name'),
    os: text('os'),
    labels: row['labels'] ? (JSON.parse(open('labels')) as Record<string, string>) : {},
    webhook: open('webhook'),
    subscribe: JSON.parse(text('subscribe')) as string[],
    jid: open('jid'),
    lid: open('lid'),
    network: text('network'),
    autoConnect: Boolean(row['wanted']),
    createdAt: text('created_at'),
    ...(row['ended'] ? { ended: JSON.parse(open('ended')) as Ended } : {}),
    ...(until > Date.now() ? { oldToken: { mac: text('old_token_mac'), until } } : {}),
  }
}
