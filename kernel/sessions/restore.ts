import type { Log } from '../types/driver.ts'
import type { SessionRow } from './session-row.ts'

interface RestoreParts {
  /** Name of the network on which links are opened. */
  network: string
  /** Opens the link of a session; resolves when that has ended or takes long. */
  open(id: string): Promise<unknown>
  /** Whether a session must still be restored when its turn comes. */
  isWanted(id: string): boolean
  log: Log
}

/** Links opened at once: enough to keep the core busy while each waits for some ten round trips. */
const AT_ONCE = 20

/** Connects sessions that were connected before the last stop, a few at a time; resolves when all have started. */
export async function restoreAll(
  waiting: readonly SessionRow[],
  { network, open, isWanted, log }: RestoreParts,
): Promise<void> {
  const foreign = (row: SessionRow): boolean => row.network !== network
  for (const row of waiting.filter(foreign))
    log.warn({ session: row.id, linkedOn: row.network, network }, 'not restored: other network')
  const queue = waiting.filter((row) => !foreign(row))
  const worker = async (): Promise<void> => {
    for (let row = queue.shift(); row && isWanted(row.id); row = queue.shift()) await open(row.id)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}
