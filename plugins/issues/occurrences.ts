import { randomBytes } from 'node:crypto'
import type { Kernel, Row, Write } from 'wamux/plugin'
import type { Issue } from './contract.ts'

/** An issue from its opening until its end has been announced. */
export interface Occurrence extends Pick<Issue, 'cause' | 'subject' | 'session'> {
  readonly id: string
  readonly plugin: string
  /** Name of the process that reports it; undefined if it is whichever serves the session. */
  readonly node: string | undefined
  /** Milliseconds since 1970, as are the following. */
  readonly opened: number
  /** 0 while it is open. */
  readonly closed: number
  /** When `node` last reported it. */
  readonly seen: number
  readonly posted: 'nothing' | 'opened' | 'closed'
}

export interface NewOccurrence extends Pick<Occurrence, 'plugin' | 'node'> {
  readonly issue: Issue
  /** Name of the session; '' for none. */
  readonly name: string
}

/** An occurrence with what receivers learn of it. */
export interface Detailed extends Occurrence {
  readonly issue: Issue
  readonly name: string
}

/** The table of the issues that are open, or whose end is not yet announced. */
export interface Occurrences {
  list(): Promise<Occurrence[]>
  /** Those that exist. */
  detailed(ids: readonly string[]): Promise<Detailed[]>
  create(given: NewOccurrence): { readonly id: string; readonly write: Write }
  closed(id: string): Write
  /** Notes that the operator knows of them. */
  joined(these: readonly Occurrence[]): Write
  /** Notes that they are still reported. */
  seen(these: readonly Occurrence[]): Write
  remove(ids: readonly string[]): Write
  /** Seals all anew, since the operator may remove a master key that is no longer active. */
  reseal(): Promise<void>
}

export const TABLE = 'occurrences'
const KEY = ['id']
/** Rows read by id at once. */
const PART = 500

export function createOccurrences({ db, vault }: Pick<Kernel<unknown>, 'db' | 'vault'>): Occurrences {
  const table = db.table(TABLE)
  const seal = (id: string, detail: string): Buffer => vault.seal('', placeOf(id), detail)
  const open = (row: Row): string =>
    vault.open('', placeOf(String(row['id'])), row['data'] as Buffer).toString()
  const changed = (ids: readonly string[], change: Row): Write =>
    db.update(
      TABLE,
      KEY,
      ids.map((id) => ({ ...change, id })),
    )

  return {
    async list() {
      const rows = await db.read<Row>(table).orderBy(['opened', 'id'])
      return rows.map(fromRow)
    },
    async detailed(ids) {
      const found: Detailed[] = []
      for (let at = 0; at < ids.length; at += PART) {
        const rows = await db
          .read<Row>(table)
          .whereIn('id', ids.slice(at, at + PART))
          .orderBy(['opened', 'id'])
        found.push(...rows.map((row) => ({ ...fromRow(row), ...(JSON.parse(open(row)) as Detail) })))
      }
      return found
    },
    create({ plugin, node, issue, name }) {
      const id = `iss_${randomBytes(16).toString('base64url')}`
      const { cause, subject, session } = issue
      const row = {
        id,
        plugin,
        cause,
        subject,
        session: session || null,
        node: node ?? null,
        data: seal(id, JSON.stringify({ issue, name } satisfies Detail)),
        opened: db.now(),
        closed: null,
        seen: db.now(),
        posted: 'nothing',
      }
      return { id, write: db.put(TABLE, KEY, [row]) }
    },
    closed: (id) => changed([id], { closed: db.now() }),
    joined: (these) => changed(idsOf(these), { posted: 'opened' }),
    seen: (these) => changed(idsOf(these), { seen: db.now() }),
    remove: (ids) =>
      db.remove(
        TABLE,
        KEY,
        ids.map((id) => ({ id })),
      ),
    async reseal() {
      const rows = await db.read<Row>(table).select('id', 'data')
      const sealed = rows.map((row) => ({ id: String(row['id']), data: seal(String(row['id']), open(row)) }))
      if (sealed.length > 0) await db.write([db.update(TABLE, KEY, sealed)])
    },
  }
}

export function idsOf(these: readonly Occurrence[]): string[] {
  return these.map(({ id }) => id)
}

type Detail = Pick<Detailed, 'issue' | 'name'>

const placeOf = (id: string): string => `issues_occurrences/${id}`

function fromRow(row: Row): Occurrence {
  return {
    id: String(row['id']),
    plugin: String(row['plugin']),
    cause: String(row['cause']),
    subject: String(row['subject']),
    session: String(row['session'] ?? ''),
    node: row['node'] === null ? undefined : String(row['node']),
    opened: Number(row['opened']),
    closed: Number(row['closed'] ?? 0),
    seen: Number(row['seen']),
    posted: row['posted'] as Occurrence['posted'],
  }
}
