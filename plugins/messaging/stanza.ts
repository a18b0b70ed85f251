import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Session } from 'wamux/plugin'

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

/** `5511:3@s.whatsapp.net` → `5511@s.whatsapp.net`: without the device. */
export function bareJid(jid: string | null | undefined): string {
  return (jid ?? '').replace(/:\d+@/, '@')
}

/** Whether it is a person's JID, by phone number or LID. */
export function isPersonJid(jid: string): boolean {
  return /@(s\.whatsapp\.net|lid)$/.test(jid)
}

/**
 * The other form of a JID, phone or LID; '' if unknown. Uses only the local mapping: a query to the network would delay the
 * session's events.
 */
export async function altOf(session: Session | undefined, jid: string): Promise<string> {
  return (await session?.socket?.knownAlt(jid)) ?? ''
}

/** The phone JID of a LID, like `altOf`; '' for any other JID. */
export async function phoneOf(session: Session | undefined, jid: string): Promise<string> {
  return jid.endsWith('@lid') ? altOf(session, jid) : ''
}
