import { createHash } from 'node:crypto'
import type { Knex } from 'knex'
import type { Table } from './tables.ts'

type Values = Record<string, unknown>

const PAGE = 500

/** The rows of a table in chunks, ordered by primary key. */
export async function* pagesOf(db: Knex, { name, key }: Table): AsyncGenerator<Values[]> {
  const columns = key.map(() => '??').join(', ')
  let last: Values | undefined
  for (;;) {
    const query = db<Values>(name)
      .orderBy([...key])
      .limit(PAGE)
    const after = last
    if (after)
      query.whereRaw(`(${columns}) > (${key.map(() => '?').join(', ')})`, [
        ...key,
        ...key.map((column) => after[column] as Knex.Value),
      ])
    const page = (await query) as Values[]
    if (page.length === 0) return
    yield page
    last = page.at(-1)
  }
}

/** A checksum over rows, independent of their order and of the engine. */
export class Checksum {
  count = 0
  #sum = 0n

  add({ columns }: Table, row: Values): void {
    const hash = createHash('sha256')
    // Lengths, so that different rows never have the same text.
    for (const { name, type } of columns) {
      const text = textOf(type, row[name])
      hash.update(`${name} ${text.length}:${text}`)
    }
    this.count += 1
    this.#sum = BigInt.asUintN(128, this.#sum + BigInt(`0x${hash.digest('hex').slice(0, 32)}`))
  }

  equals(other: Checksum): boolean {
    return this.count === other.count && this.#sum === other.#sum
  }
}

/** A row in the form of the other engine: SQLite stores booleans as 0 and 1. */
export function converted({ columns }: Table, row: Values): Values {
  return Object.fromEntries(
    columns.map(({ name, type }) => {
      const value = row[name]
      return [name, type === 'boolean' && value !== null ? Boolean(value) : value]
    }),
  )
}

function textOf(type: Table['columns'][number]['type'], value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (type === 'boolean') return String(Boolean(value))
  if (Buffer.isBuffer(value)) return `x${value.toString('hex')}`
  return `v${value}`
}
