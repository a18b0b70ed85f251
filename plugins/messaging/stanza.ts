import type { BinaryNode } from '@whiskeysockets/baileys'

/** A received stanza: attributes are text; content is children, text or bytes. */
export interface Stanza {
  tag: string
  attrs: Record<string, string>
  content?: Stanza[] | string | Uint8Array
}

/** A stanza to send. */
export function node(tag: string, attrs: Record<string, string>, content?: BinaryNode[]): BinaryNode {
  return content ? { tag, attrs, content } : { tag, attrs }
}

/** First child with that tag. */
export function child<S extends Stanza>(node: S | undefined, tag: string): S | undefined {
  return children(node, tag)[0]
}

/** All children, or all with that tag. */
export function children<S extends Stanza>(node: S | undefined, tag?: string): S[] {
  if (!Array.isArray(node?.content)) return []
  const all = node.content as S[]
  return tag === undefined ? all : all.filter((one) => one.tag === tag)
}

/** Content as text; '' if there is none. */
export function textOf(node: Stanza | undefined): string {
  const content = node?.content
  if (content instanceof Uint8Array) return Buffer.from(content).toString('utf8')
  return typeof content === 'string' ? content : ''
}
