import type { BinaryNode } from '@whiskeysockets/baileys'

/** A stanza whose text goes out as bytes: strings with an `@` would be encoded as JIDs (Baileys WABinary/encode.js). */
export function words(tag: string, text: string): BinaryNode {
  return { tag, attrs: {}, content: Buffer.from(text) }
}

export function node(tag: string, attrs: Record<string, string>, content?: BinaryNode[]): BinaryNode {
  return { tag, attrs, ...(content ? { content } : {}) }
}

export function children(parent: BinaryNode | undefined, tag: string): BinaryNode[] {
  return Array.isArray(parent?.content) ? parent.content.filter((one) => one.tag === tag) : []
}

export function child(parent: BinaryNode | undefined, tag: string): BinaryNode | undefined {
  return children(parent, tag)[0]
}

/** Content as text, of a node or of a child; '' where there is none. */
export function text(parent: BinaryNode | undefined, tag?: string): string {
  const content = (tag ? child(parent, tag) : parent)?.content
  if (typeof content === 'string') return content
  return content instanceof Uint8Array ? Buffer.from(content).toString('utf8') : ''
}

/** A whole number; undefined where there is none, where Baileys gives NaN (Utils/business.js). */
export function amount(parent: BinaryNode | undefined, tag: string): number | undefined {
  const digits = text(parent, tag)
  return /^\d+$/.test(digits) ? Number(digits) : undefined
}
