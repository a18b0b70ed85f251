import type { Database } from '../../../kernel/db/database.ts'
import { migrate } from '../../../kernel/db/migrate.ts'
import { createWriter, type Writer } from '../../../kernel/db/writer.ts'
import { createEventLog, type EventLog } from '../../../kernel/events/log.ts'
import { createLog } from '../../../kernel/logging/log.ts'
import type { GatewayEvents, NewEvent } from '../../../kernel/plugin.ts'
import { openKeyring } from '../../../kernel/vault/keyring.ts'
import { createVault, type SessionVault } from '../../../kernel/vault/vault.ts'
import { migrations } from '../../../migrations/index.ts'
import { type Engine, openFresh } from '../databases.ts'
import { KEYS } from '../gateway.ts'

export const silent = createLog({ level: 'silent' })
export const type = 'Thing' as keyof GatewayEvents & string
export const event = (key: string, chat?: string): NewEvent => ({
  type,
  key,
  body: { key },
  ...(chat ? { chat } : {}),
})
export const declared = new Map([[type, { class: 'Message', summary: '' }]])

/** The event log of a fresh database that has the sessions `s` and `t`. */
export async function openEventLog(
  engine: Engine,
): Promise<{ database: Database; writer: Writer; log: EventLog; vault: SessionVault }> {
  const database = await openFresh(engine)
  await migrate(database.main, 'kernel', migrations)
  const writer = createWriter(database)
  const vault = createVault(openKeyring(KEYS))
  const texts = { name: '', os: '', webhook: '', jid: '', lid: '', network: '', created_at: '' }
  const rows = ['s', 't'].map((id) => {
    const { kid, wrapped } = vault.create(id)
    return {
      ...texts,
      ...{ id, token_mac: id, token: wrapped, key_id: kid, key: wrapped },
      ...{ subscribe: '[]', wanted: false },
    }
  })
  await writer.write([{ table: 'sessions', key: ['id'], mode: 'put', rows }])
  return { database, writer, log: createEventLog(database, writer, declared, vault), vault }
}
