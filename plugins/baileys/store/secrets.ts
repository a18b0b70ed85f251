import {
  createInterval,
  type Interval,
  type Log,
  type PluginDb,
  type Row,
  type Vault,
  type Write,
} from 'wamux/plugin'
import { createSeals } from './seals.ts'

/** A poll in the form needed for its votes, which name its options by hashes. */
export interface KeptPoll {
  readonly question: string
  readonly options: readonly string[]
  /** How many options a voter may choose; 0 for any number. */
  readonly most: number
}

/** A message's secret, under which later additions to it are sealed. */
export interface Kept {
  readonly message: string
  readonly chat: string
  /** The JIDs of its author. */
  readonly authors: readonly string[]
  /** Newest first: each edit brings a new one. */
  readonly secrets: readonly Uint8Array[]
  readonly poll?: KeptPoll | undefined
  /** When it is no longer needed, milliseconds since 1970. */
  readonly until: number
}

/** Secrets of messages, committed together with the messages that brought them. */
export interface Secrets {
  /** The secrets for a message id, including uncommitted ones: several authors may have chosen the same id. */
  find(message: string): Promise<Kept[]>
  /** The committed secrets for many ids. */
  stored(messages: readonly string[]): Promise<Kept[]>
  /**
   * The write that stores it, for the commit of its message; `find` sees it at once. `add` does not change a stored one: a
   * redelivered message has the secret from before its edits.
   */
  keep(kept: Kept, mode: 'add' | 'put'): Write
  /** The writes returned by `keep` are committed. */
  committed(kept: readonly Kept[]): void
}

/** Exceeded only if somebody makes up ids. */
const MAX_SAME_ID = 20
/** Maximum number of parameters in a statement. */
const PART = 500

export function createSecrets(db: PluginDb, vault: Vault, session: string): Secrets {
  const rowOf = secretRows(vault)
  const pending = new Map<string, Kept[]>()
  return {
    async find(message) {
      // Those that are committed during the query are in neither the rows nor, afterwards, in `pending`.
      const before = pending.get(message) ?? []
      const rows = await db.read<Row>(db.table('secrets')).where({ session, message }).limit(MAX_SAME_ID)
      const stored = rows.map((row) => toKept(vault, row))
      const all = [...(pending.get(message) ?? []), ...before, ...stored]
      return all.filter((one, at) => all.findIndex((newer) => keyOf(newer) === keyOf(one)) === at)
    },
    async stored(messages) {
      const found: Kept[] = []
      for (let at = 0; at < messages.length; at += PART) {
        const part = messages.slice(at, at + PART)
        const query = db.read<Row>(db.table('secrets')).where({ session }).whereIn('message', part)
        found.push(...(await query).map((row) => toKept(vault, row)))
      }
      return found
    },
    keep(kept, mode) {
      const others = (pending.get(kept.message) ?? []).filter((one) => keyOf(one) !== keyOf(kept))
      pending.set(kept.message, [kept, ...others])
      return db[mode]('secrets', KEY, [rowOf(session, kept)])
    },
    committed(all) {
      for (const kept of all) {
        const rest = (pending.get(kept.message) ?? []).filter((one) => one !== kept)
        if (rest.length > 0) pending.set(kept.message, rest)
        else pending.delete(kept.message)
      }
    },
  }
}

const KEY = ['session', 'message', 'chat', 'authors'] as const

const HOUR_MS = 3_600_000

/** Deletes expired secrets, at start and every hour. */
export function createSecretPruning({ db, log }: { db: PluginDb; log: Log }): Interval {
  async function prune(): Promise<void> {
    await db.prune('secrets', (query) => query.where('until', '<', db.now()))
  }
  return createInterval(HOUR_MS, prune, (error) =>
    log.error({ err: error }, 'deleting old secrets of messages failed'),
  )
}

function secretRows(vault: Vault): (session: string, kept: Kept) => Row {
  return (session, { message, chat, until, ...kept }) => {
    const seals = createSeals(vault, session)
    const authors = [...kept.authors].sort()
    const sealed = {
      chat,
      authors,
      poll: kept.poll,
      secrets: kept.secrets.map((secret) => Buffer.from(secret).toString('base64')),
    }
    return {
      session,
      message,
      chat: seals.index('secrets/chat', chat),
      authors: seals.index('secrets/authors', authors.join()),
      secret: seals.sealText(`secrets/${message}`, Buffer.from(JSON.stringify(sealed))),
      until,
    }
  }
}

function toKept(vault: Vault, row: Row): Kept {
  const message = String(row['message'])
  const seals = createSeals(vault, String(row['session']))
  const text = seals.openText(`secrets/${message}`, row['secret'] as Buffer).toString()
  const { secrets, ...kept } = JSON.parse(text) as Omit<Kept, 'secrets'> & { secrets: string[] }
  const until = Number(row['until'])
  return { ...kept, message, until, secrets: secrets.map((secret) => Buffer.from(secret, 'base64')) }
}

function keyOf({ chat, authors }: Kept): string {
  return [chat, ...[...authors].sort()].join()
}
