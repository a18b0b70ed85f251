import type { Vault } from 'wamux/plugin'
import { BufferJSON, proto } from '../baileys.ts'
import { createSeals, type Seals } from './seals.ts'

/** Seals a session's values for a column: JSON with buffers, encrypted for one particular row. */
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

/** A value without buffers, already encoded as `encode` would do: it saves the search for buffers in each of its parts. */
export class Encoded {
  readonly text: Buffer
  constructor(value: object) {
    this.text = Buffer.from(JSON.stringify(value))
  }
}

export function encode(value: unknown): Buffer {
  return value instanceof Encoded ? value.text : Buffer.from(JSON.stringify(value, BufferJSON.replacer))
}

export function decode(text: Uint8Array): unknown {
  const json = Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString('utf8')
  // A single string or number, for example a LID, has no parts that could be buffers.
  return json.includes('{') ? JSON.parse(json, revive) : JSON.parse(json)
}

/**
 * Baileys' own reviver also takes an object with numeric keys for a buffer, which `encode` never writes. A list of bytes is
 * the form of `Buffer.toJSON`, in which sender keys were stored.
 */
function revive(_key: string, value: unknown): unknown {
  const { type, data } = (value ?? {}) as { type?: unknown; data?: unknown }
  if (type !== 'Buffer') return value
  if (typeof data === 'string') return Buffer.from(data, 'base64')
  return Array.isArray(data) ? Buffer.from(data as number[]) : value
}

/** Like `decode`, but returns the one type of key that Baileys needs as a protobuf object in that form. */
export function decodeKey(type: string, text: Buffer): unknown {
  const value = decode(text)
  return type === 'app-state-sync-key' ? proto.Message.AppStateSyncKeyData.fromObject(value as object) : value
}
