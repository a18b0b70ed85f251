import type { Vault } from 'wamux/plugin'
import { BufferJSON, proto } from '../baileys.ts'

/** Values of one session, as they are kept in a column: JSON with its buffers, encrypted for that very row. */
export interface Codec {
  seal(place: string, value: unknown): Buffer
  open(place: string, sealed: Buffer): unknown
  /** The same for what was encoded already. */
  sealText(place: string, text: Buffer): Buffer
  openText(place: string, sealed: Buffer): Buffer
  /** For a column that values are found by. */
  index(place: string, value: string): string
}

export function createCodec(vault: Vault, session: string): Codec {
  const sealText = (place: string, text: Buffer): Buffer => vault.seal(session, `baileys/${place}`, text)
  const openText = (place: string, sealed: Buffer): Buffer => vault.open(session, `baileys/${place}`, sealed)
  return {
    sealText,
    openText,
    index: (place, value) => vault.index(session, `baileys/${place}`, value),
    seal: (place, value) => sealText(place, encode(value)),
    open: (place, sealed) => decode(openText(place, sealed)),
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
