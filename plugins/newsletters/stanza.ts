import type { BinaryNode } from '@whiskeysockets/baileys'

export function childrenOf(node: BinaryNode | undefined): BinaryNode[] {
  return Array.isArray(node?.content) ? node.content : []
}

/** First child of that tag. */
export function childOf(node: BinaryNode | undefined, tag: string): BinaryNode | undefined {
  return childrenOf(node).find((child) => child.tag === tag)
}

/** Content as text; '' when there is none. */
export function textOf(node: BinaryNode | undefined): string {
  const content = node?.content ?? ''
  return Array.isArray(content) ? '' : Buffer.from(content as Uint8Array).toString()
}

/** Seconds, as stanzas carry time, in RFC 3339; '' where there are none. */
export function toTime(seconds: string | undefined): string {
  return seconds ? new Date(Number(seconds) * 1000).toISOString() : ''
}
