import './before.ts'
import { BufferJSON, proto } from '@whiskeysockets/baileys'

/** How values are kept in a column. The one seam that encryption at rest goes through. */
export function seal(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value, BufferJSON.replacer))
}

export function open(sealed: Buffer): unknown {
  return JSON.parse(sealed.toString('utf8'), BufferJSON.reviver)
}

/** As `open`, with the one type of key that Baileys wants as a protobuf object. */
export function openKey(type: string, sealed: Buffer): unknown {
  const value = open(sealed)
  return type === 'app-state-sync-key' ? proto.Message.AppStateSyncKeyData.fromObject(value as object) : value
}
