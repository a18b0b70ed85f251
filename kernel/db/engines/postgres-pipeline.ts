import type { Row } from '../../types/storage.ts'
import type { Statement, Value } from './statements.ts'

/** A pg query that sends its own messages, like those of pg-cursor; pg calls the handlers while it is active. */
export interface Pipeline {
  /** pg replaces it if queries have a time-out. */
  callback?: (error: Error | null, rows?: Row[][]) => void
  submit(connection: Messages): null
  handleRowDescription(message: { fields: readonly Field[] }): void
  handleDataRow(message: { fields: readonly (string | null)[] }): void
  handleCommandComplete(): void
  handleReadyForQuery(): void
  handleError(error: Error): void
}

export interface PipelineParts {
  /** Names of the statements prepared on the server, by their text. */
  readonly prepared: Map<string, string>
  /** A name not used on the connection before; empty for a statement that the server need not keep. */
  newName(): string
  parserOf(type: number, format: 'text'): Parse
}

type Parse = (text: string) => Row[string]

/** The part of pg's connection that is used here: the protocol messages and the socket. */
interface Messages {
  readonly stream: { cork(): void; uncork(): void }
  parse(statement: { name: string; text: string }): void
  bind(portal: {
    statement: string
    values: readonly Value[]
    valueMapper(value: Value): string | Buffer | null
  }): void
  describe(portal: { type: 'P' }): void
  execute(): void
  sync(): void
}

interface Field {
  readonly name: string
  readonly dataTypeID: number
}

/**
 * Statements that PostgreSQL commits together in one round trip: they are bound and executed one after the other, and a
 * single Sync at the end closes the implicit transaction (PostgreSQL's manual, "Message Flow", "Pipelining"). After a failed
 * statement the server skips the others and rolls back.
 */
export function createPipeline(
  statements: readonly Statement[],
  { prepared, newName, parserOf }: PipelineParts,
): Pipeline {
  const results: Row[][] = statements.map(() => [])
  /** Statements being prepared; whether they were is known only after all have succeeded. */
  const fresh = new Map<string, string>()
  let columns: readonly { name: string; parse: Parse }[] = []
  let at = 0

  function submit(connection: Messages): null {
    let unnamed = ''
    connection.stream.cork()
    for (const { sql, values, isReturning } of statements) {
      let name = prepared.get(sql) ?? fresh.get(sql)
      if (name === undefined) {
        name = newName()
        // The server keeps the last unnamed one.
        if (name || sql !== unnamed) connection.parse({ name, text: sql })
        if (name) fresh.set(sql, name)
        else unnamed = sql
      }
      connection.bind({ statement: name, values, valueMapper: encode })
      if (isReturning) connection.describe({ type: 'P' })
      connection.execute()
    }
    connection.sync()
    connection.stream.uncork()
    return null
  }

  return {
    submit,
    handleRowDescription({ fields }) {
      columns = fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID, 'text') }))
    },
    handleDataRow({ fields }) {
      // Without a description no caller requested the row.
      if (!statements[at]?.isReturning) return
      const cells = columns.map(({ name, parse }, i) => [name, parsed(fields[i], parse)] as const)
      results[at]?.push(Object.fromEntries(cells))
    },
    handleCommandComplete() {
      at += 1
    },
    handleReadyForQuery() {
      for (const [sql, name] of fresh) prepared.set(sql, name)
      this.callback?.(null, results)
    },
    handleError(error) {
      this.callback?.(error)
    },
  }
}

/** PostgreSQL converts a value's text to the type of its parameter. */
function encode(value: Value): string | Buffer | null {
  return value === null || Buffer.isBuffer(value) ? value : String(value)
}

function parsed(text: string | null | undefined, parse: Parse): Row[string] {
  return text === null || text === undefined ? null : parse(text)
}
