import type { PluginDb, Row } from 'wamux/plugin'
import { initAuthCreds } from '../baileys.ts'
import type { StoredCreds } from '../protocol/credentials.ts'
import type { Codec } from './codec.ts'

/** The stored credentials, or new ones. */
export async function loadCreds(db: PluginDb, codec: Codec, session: string): Promise<StoredCreds> {
  const row = await db.read<Row>(db.table('creds')).where({ session }).first()
  return row ? (codec.open('creds', row['value'] as Buffer) as StoredCreds) : newCreds()
}

export function newCreds(): StoredCreds {
  return initAuthCreds()
}

export function saveCreds(db: PluginDb, codec: Codec, session: string, creds: StoredCreds): Promise<void> {
  return db.write([db.put('creds', ['session'], [{ session, value: codec.seal('creds', creds) }])])
}
