import type { PluginDb, Row } from 'wamux/plugin'
import { initAuthCreds } from '../baileys.ts'
import type { StoredCreds } from '../protocol/credentials.ts'
import type { Codec } from './codec.ts'

/** The stored credentials, or new ones. Remains of an unfinished pairing code of an earlier version are removed. */
export async function loadCreds(db: PluginDb, codec: Codec, session: string): Promise<StoredCreds> {
  const row = await db.read<Row>(db.table('creds')).where({ session }).first()
  if (!row) return newCreds()
  const creds = codec.open('creds', row['value'] as Buffer) as StoredCreds
  if (creds.account) return creds
  // With `me`, the next connect would log in as that number and be refused with 401.
  const { me: _me, pairingCode: _code, ...unpaired } = creds
  return unpaired as StoredCreds
}

export function newCreds(): StoredCreds {
  return initAuthCreds()
}

export function saveCreds(db: PluginDb, codec: Codec, session: string, creds: StoredCreds): Promise<void> {
  return db.write([db.put('creds', ['session'], [{ session, value: codec.seal('creds', creds) }])])
}
