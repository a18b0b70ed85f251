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

/** A value that is JSON already, as `encode` would make it: it has no buffers, which `encode` looks for in each of its parts. */
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
  // A single string or number, such as a LID: it has no parts that may be buffers.
  return json.includes('{') ? JSON.parse(json, revive) : JSON.parse(json)
}

/**
 * Baileys' own reviver also takes an object whose keys are numbers for a buffer, which `encode` never writes. A list of bytes
 * is the form of `Buffer.toJSON`: sender keys were stored in it.
 */
function revive(_key: string, value: unknown): unknown {
  const { type, data } = (value ?? {}) as { type?: unknown; data?: unknown }
  if (type !== 'Buffer') return value
  if (typeof data === 'string') return Buffer.from(data, 'base64')
  return Array.isArray(data) ? Buffer.from(data as number[]) : value
}

/** As `decode`, with the one type of key that Baileys wants as a protobuf object. */
export function decodeKey(type: string, text: Buffer): unknown {
  const value = decode(text)
  return type === 'app-state-sync-key' ? proto.Message.AppStateSyncKeyData.fromObject(value as object) : value
}
