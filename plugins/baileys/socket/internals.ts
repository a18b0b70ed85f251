import type { Writable } from 'node:stream'
import type { WASocket } from '@whiskeysockets/baileys'

/** The parts of Baileys' connection used here that its types lack (Socket/Client/websocket.js, rc14). */
export interface Internals {
  readonly ws: {
    emit(event: string, ...args: unknown[]): boolean
    on(event: string, listener: () => void): unknown
    listenerCount(event: string): number
    /** The `ws` connection; null once closed. */
    readonly socket: RawSocket | null
  }
}

export interface RawSocket {
  send(data: Uint8Array, done?: (error?: Error) => void): void
  terminate(): void
  /** Reads nothing more from the underlying stream until `resume`. */
  pause(): void
  resume(): void
  /** The underlying stream; null before the connection is up. */
  readonly _socket: Writable | null
}

export function internalsOf(wa: WASocket): Internals['ws'] {
  return (wa as unknown as Internals).ws
}
