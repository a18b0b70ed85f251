import type { Vault } from 'wamux/plugin'
import { BufferJSON, proto } from '../baileys.ts'
import { createSeals, type Seals } from './seals.ts'

/** Values of one session, as they are kept in a column: JSON with its buffers, encrypted for that very row. */
export interface Codec extends Seals {
  seal(place: string, value: unknown): Buffer
  open(place: string, sealed: Buffer): unknown
}

export function createCodec(vault: Vault, session: string): Codec {
  const seals = createSeals(vault, session)
  return {
    ...seals,
    seal: (place, value) => seals.sealText(place, encode(value)),
    open: (place, sealed) => decode(seals.openText(place, sealed)),
  }
}

export function encode(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value, BufferJSON.replacer))
}

function decode(text: Buffer): unknown {
  return JSON.parse(text.toString('utf8'), BufferJSON.reviver)
}

/** As `decode`, with the one type of key that Baileys wants as a protobuf object. */
export function decodeKey(type: string, text: Buffer): unknown {
  const value = decode(text)
  return type === 'app-state-sync-key' ? proto.Message.AppStateSyncKeyData.fromObject(value as object) : value
}
