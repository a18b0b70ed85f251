import type { AuthenticationCreds } from '@whiskeysockets/baileys'
import type { PluginDb, Row } from 'wamux/plugin'
import { initAuthCreds } from '../baileys.ts'
import type { Codec } from './codec.ts'

/** The stored credentials, or new ones. What an unfinished pairing code left behind is cleared. */
export async function loadCreds(db: PluginDb, codec: Codec, session: string): Promise<AuthenticationCreds> {
  const row = await db.read<Row>(db.table('creds')).where({ session }).first()
  if (!row) return initAuthCreds()
  const creds = codec.open('creds', row['value'] as Buffer) as AuthenticationCreds
  if (creds.account) return creds
  // Requesting a code sets `me` at once; if the code is not used, the next connect would log in as that number
  // and be told 401 (Socket/socket.js requestPairingCode).
  const { me: _me, pairingCode: _code, ...unpaired } = creds
  return unpaired as AuthenticationCreds
}

export function saveCreds(
  db: PluginDb,
  codec: Codec,
  session: string,
  creds: AuthenticationCreds,
): Promise<void> {
  return db.write([db.put('creds', ['session'], [{ session, value: codec.seal('creds', creds) }])])
}
