import type { WASocket } from '@whiskeysockets/baileys'

/** One stage of a pipeline: wraps the next one. */
export type Stage<F> = (next: F) => F

/** A stanza or another event of the connection, on its way to Baileys. */
export type Receive = (event: string, ...args: unknown[]) => boolean
/** A Baileys event on its way to its event buffer. */
export type Emit = WASocket['ev']['emit']
/** A frame on its way to the connection. */
export type Send = (frame: Uint8Array) => void
