import type { BinaryNode } from '@whiskeysockets/baileys'
import { child, textOf } from 'wamux/messaging'

/** A node whose text is sent as bytes: strings with an `@` would be encoded as JIDs (Baileys WABinary/encode.js). */
export function words(tag: string, text: string): BinaryNode {
  return { tag, attrs: {}, content: Buffer.from(text) }
}

/** The text content of a node or of its child; '' if there is none. */
export function text(parent: BinaryNode | undefined, tag?: string): string {
  return textOf(tag ? child(parent, tag) : parent)
}

/** A whole number; undefined if there is none, for which Baileys returns NaN (Utils/business.js). */
export function amount(parent: BinaryNode | undefined, tag: string): number | undefined {
  const digits = text(parent, tag)
  return /^\d+$/.test(digits) ? Number(digits) : undefined
}
