import type { PluginDb, Row, Write } from 'wamux/plugin'
import type { Seals } from './seals.ts'

/**
 * A device linked by another gateway, as Baileys stores it. Bytes are `{type: 'Buffer', data: <base64>}`, as written by its
 * BufferJSON.
 */
export interface ForeignDevice {
  readonly creds: ForeignCreds
  /** JSON by type and id. */
  readonly keys: Readonly<Record<string, Readonly<Record<string, string>>>>
}

export interface ForeignCreds {
  readonly me: { readonly id: string; readonly lid?: string; readonly name?: string }
  readonly [field: string]: unknown
}

/** The rows of a device, for a session that has none yet. */
export function deviceRows(
  db: Pick<PluginDb, 'put'>,
  { sealText, index }: Seals,
  session: string,
  { creds, keys }: ForeignDevice,
): Write[] {
  const rows = Object.entries(keys).flatMap(([type, values]) =>
    Object.entries(values).map(([name, json]): Row => {
      const id = index(`keys/${type}`, name)
      return { session, type, id, value: sealText(`keys/${type}/${id}`, Buffer.from(json)) }
    }),
  )
  const value = sealText('creds', Buffer.from(JSON.stringify({ ...creds, wasLinked: true })))
  return [
    db.put('creds', ['session'], [{ session, value }]),
    ...(rows.length > 0 ? [db.put('keys', ['session', 'type', 'id'], rows)] : []),
  ]
}

/** The JID, with device, in a session's stored credentials; undefined without a link. */
export async function storedDevice(
  { read, table }: Pick<PluginDb, 'read' | 'table'>,
  { openText }: Seals,
  session: string,
): Promise<string | undefined> {
  const row = await read<Row>(table('creds')).where({ session }).first()
  if (!row) return undefined
  const { me } = JSON.parse(openText('creds', row['value'] as Buffer).toString()) as Partial<ForeignCreds>
  return me?.id
}
