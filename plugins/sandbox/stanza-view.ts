import type { Stanza } from './types.ts'

/** Limit of the bytes shown of a content. */
const MAX_BYTES = 120
/** Limit of the nodes shown of a list, for example the devices of a large group. */
const MAX_NODES = 40
const MAX_DEPTH = 12

/**
 * A stanza as JSON: `Tag`, `Attrs`, and one of `Nodes`, `Text` and `Base64`. Long contents are truncated, with their full length
 * in `Bytes` or `Count`.
 */
export function viewStanza({ tag, attrs, content }: Stanza, depth = 0): Record<string, unknown> {
  return { Tag: tag, Attrs: attrs, ...viewContent(content, depth) }
}

function viewContent(content: Stanza['content'], depth: number): Record<string, unknown> {
  if (content === undefined) return {}
  if (Array.isArray(content)) {
    const shown = depth < MAX_DEPTH ? content.slice(0, MAX_NODES) : []
    const isWhole = shown.length === content.length
    return {
      Nodes: shown.map((node) => viewStanza(node, depth + 1)),
      ...(isWhole ? {} : { Count: content.length }),
    }
  }
  const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content)
  const head = bytes.subarray(0, MAX_BYTES)
  const text = head.toString('utf8')
  const isText = /^[\t\n\r\x20-\x7e\u00a0-\ufffc]*\ufffd?$/.test(text) && bytes.length > 0
  return { ...(isText ? { Text: text } : { Base64: head.toString('base64') }), Bytes: bytes.length }
}
