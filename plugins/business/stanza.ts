import type { BinaryNode } from '@whiskeysockets/baileys'
import { child, textOf } from 'wamux/messaging'

/** A stanza whose text goes out as bytes: strings with an `@` would be encoded as JIDs (Baileys WABinary/encode.js). */
export function words(tag: string, text: string): BinaryNode {
  return { tag, attrs: {}, content: Buffer.from(text) }
}

export function node(tag: string, attrs: Record<string, string>, content?: BinaryNode[]): BinaryNode {
  return { tag, attrs, ...(content ? { content } : {}) }
}

/** Content as text, of a node or of a child; '' where there is none. */
export function text(parent: BinaryNode | undefined, tag?: string): string {
  return textOf(tag ? child(parent, tag) : parent)
}

/** A whole number; undefined where there is none, where Baileys gives NaN (Utils/business.js). */
export function amount(parent: BinaryNode | undefined, tag: string): number | undefined {
  const digits = text(parent, tag)
  return /^\d+$/.test(digits) ? Number(digits) : undefined
}
