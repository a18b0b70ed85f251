import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import type { Write } from 'wamux/plugin'
import type { LearntTimers } from '../journal/learnt-timers.ts'

/**
 * Reads group timers from all replies that contain them, to any query: Baileys' metadata lacks the trigger of a
 * timer (Socket/groups.js extractGroupMetadata).
 */
export function watchGroups(
  wa: WASocket,
  timers: Pick<LearntTimers, 'ofGroups'>,
  write: (writes: readonly Write[]) => Promise<unknown>,
): void {
  const read = async (reply: BinaryNode): Promise<void> => {
    const writes = await timers.ofGroups(reply)
    if (writes.length > 0) await write(writes)
  }
  for (const tag of ['group', 'groups'])
    wa.ws.on(`CB:iq,,${tag}`, (reply: BinaryNode) => void read(reply).catch(() => undefined))
}
