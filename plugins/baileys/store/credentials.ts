import type { AuthenticationCreds } from '@whiskeysockets/baileys'
import type { PluginDb, Row } from 'wamux/plugin'
import { initAuthCreds } from '../baileys.ts'
import type { Codec } from './codec.ts'

/** `wasLinked`: whether a link of this session was complete once, also if it has been ended since. */
export type StoredCreds = AuthenticationCreds & { wasLinked?: boolean }

/** The stored credentials, or new ones. What an unfinished pairing code of an earlier version left behind is cleared. */
export async function loadCreds(db: PluginDb, codec: Codec, session: string): Promise<StoredCreds> {
  const row = await db.read<Row>(db.table('creds')).where({ session }).first()
  if (!row) return newCreds()
  const creds = codec.open('creds', row['value'] as Buffer) as StoredCreds
  if (creds.account) return creds
  // With `me`, the next connect would log in as that number and be told 401.
  const { me: _me, pairingCode: _code, ...unpaired } = creds
  return unpaired as StoredCreds
}

export function newCreds(): StoredCreds {
  return initAuthCreds()
}

export function saveCreds(db: PluginDb, codec: Codec, session: string, creds: StoredCreds): Promise<void> {
  return db.write([db.put('creds', ['session'], [{ session, value: codec.seal('creds', creds) }])])
}
