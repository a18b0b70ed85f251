import type { BinaryNode } from '@whiskeysockets/baileys'

/** First child of that tag. */
export function child(node: BinaryNode | undefined, tag: string): BinaryNode | undefined {
  return children(node, tag)[0]
}

/** All children, or all of that tag. */
export function children(node: BinaryNode | undefined, tag?: string): BinaryNode[] {
  if (!Array.isArray(node?.content)) return []
  return tag ? node.content.filter((one) => one.tag === tag) : node.content
}

export function textOf(node: BinaryNode | undefined): string {
  const content = node?.content
  return content instanceof Uint8Array || typeof content === 'string'
    ? Buffer.from(content as string).toString()
    : ''
}
