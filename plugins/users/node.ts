import type { BinaryNode } from '@whiskeysockets/baileys'

/** First child of that tag. */
export function child(node: BinaryNode | undefined, tag: string): BinaryNode | undefined {
  return children(node, tag)[0]
}

export function children(node: BinaryNode | undefined, tag: string): BinaryNode[] {
  return Array.isArray(node?.content) ? node.content.filter((one) => one.tag === tag) : []
}

/** Content as text; '' when there is none. */
export function text(node: BinaryNode | undefined): string {
  const content = node?.content
  if (content instanceof Uint8Array) return Buffer.from(content).toString('utf8')
  return typeof content === 'string' ? content : ''
}
