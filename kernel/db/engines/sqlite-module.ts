import { gatewayError, reasonOf } from '../../errors.ts'

/**
 * Loads the SQLite driver when it is needed, not with this file: a gateway on PostgreSQL runs without its compiled part, which
 * may be missing. Rejects DATABASE_FAILED with what to do. @param label the database that was to be opened.
 */
export async function importSqlite(label: string): Promise<typeof import('sqlite3')> {
  try {
    const { default: sqlite3 } = await import('sqlite3')
    return sqlite3
  } catch (cause) {
    throw gatewayError('DATABASE_FAILED', [label, `${problemOf(cause)}; ${ADVICE}`], { cause })
  }
}

const ADVICE =
  'run "npm rebuild sqlite3" in the folder of node_modules (it downloads it, or compiles it with a C++ compiler, make and ' +
  'Python), or use PostgreSQL (DATABASE_URL)'

/** What npm left undone where it could neither download nor compile it, or did not run the package's install script. */
function problemOf(cause: unknown): string {
  if ((cause as { code?: unknown }).code === 'ERR_DLOPEN_FAILED')
    return `the compiled part of sqlite3 is for another system (${firstLineOf(reasonOf(cause))})`
  const reason = firstLineOf(reasonOf(cause))
  return reason.startsWith('Could not locate the bindings file')
    ? 'the compiled part of sqlite3 is missing'
    : `sqlite3 can not be loaded (${reason})`
}

function firstLineOf(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
