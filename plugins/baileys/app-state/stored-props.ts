import type { PluginDb, Row } from 'wamux/plugin'

/** AB props as last sent by the network. */
export interface StoredProps {
  /** The network's hash of exactly these values. */
  readonly hash: string
  /** Value by code. */
  readonly values: Readonly<Record<string, string>>
}

export async function loadProps(db: PluginDb, session: string): Promise<StoredProps | undefined> {
  const row = await db.read<Row>(db.table('props')).where({ session }).first()
  return row && { hash: String(row['hash']), values: JSON.parse(String(row['values'])) }
}

export function saveProps(db: PluginDb, session: string, { hash, values }: StoredProps): Promise<void> {
  return db.write([db.put('props', ['session'], [{ session, hash, values: JSON.stringify(values) }])])
}
