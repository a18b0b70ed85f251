import { Jid } from 'wamux/messaging'
import type { Stanza } from './types.ts'

export { child, children } from 'wamux/messaging'

/** The content as bytes; empty if the stanza has none. */
export function bytes(node: Stanza | undefined): Buffer {
  const content = node?.content
  if (Buffer.isBuffer(content)) return content
  if (content instanceof Uint8Array) return Buffer.from(content)
  return Buffer.from(typeof content === 'string' ? content : '')
}

export function text(node: Stanza | undefined): string {
  return bytes(node).toString('utf8')
}

/** Builds a stanza; undefined attributes are omitted. */
export function el(
  tag: string,
  attrs: Record<string, string | number | undefined> = {},
  content?: Stanza['content'],
): Stanza {
  const given: Record<string, string> = {}
  for (const name in attrs) {
    const value = attrs[name]
    if (value !== undefined) given[name] = String(value)
  }
  return content === undefined ? { tag, attrs: given } : { tag, attrs: given, content }
}

/** A stanza with text as its content. */
export function textNode(tag: string, value: unknown): Stanza {
  return el(tag, {}, Buffer.from(String(value)))
}

/** The current Unix time in seconds, the unit of time in stanzas. */
export function seconds(): number {
  return Math.floor(Date.now() / 1000)
}

export interface ParsedJid {
  readonly user: string
  readonly device: number
  readonly server: string
}

export const SERVER = 's.whatsapp.net'

/** The device of the Cloud API on an account that is also used in the app, with servers of its own (WM types/jid.go, user.go). */
export const HOSTED_DEVICE = 99
const HOSTED = '@hosted'
const HOSTED_LID = '@hosted.lid'

/** Cached, since each stanza is read for its JIDs many times. */
const parsed = new Map<string, ParsedJid>()
const MAX_PARSED = 10_000

/** `5511:3@s.whatsapp.net`; undefined if the text is not a JID. */
export function parseJid(jid: string | undefined): ParsedJid | undefined {
  if (jid === undefined) return undefined
  const known = parsed.get(jid)
  if (known) return known
  const match = /^([^:@]*)(?::(\d+))?@([a-z.]+)$/.exec(jid)
  if (!match) return undefined
  const [, user = '', device = '0', server = ''] = match
  const found = { user, device: Number(device), server }
  if (parsed.size >= MAX_PARSED) parsed.clear()
  parsed.set(jid, found)
  return found
}

/** The JID of a person or chat, without device: also that of a person whose hosted device is named. */
export function bare(jid: string): string {
  const found = Jid.bare(jid)
  if (found.endsWith(HOSTED_LID)) return found.replace(HOSTED_LID, '@lid')
  return found.endsWith(HOSTED) ? found.replace(HOSTED, `@${SERVER}`) : found
}

export function withDevice(jid: string, device: number): string {
  const person = bare(jid)
  if (device === 0) return person
  const named = person.replace('@', `:${device}@`)
  if (device !== HOSTED_DEVICE) return named
  return named.replace(/@lid$/, HOSTED_LID).replace(/@s\.whatsapp\.net$/, HOSTED)
}

/** The server of the person of a JID: the one of numbers or of LIDs, also if it names a hosted device. */
export function serverOf(jid: string | undefined): string | undefined {
  return jid === undefined ? undefined : parseJid(bare(jid))?.server
}

export function isHosted(jid: string): boolean {
  return parseJid(jid)?.device === HOSTED_DEVICE
}
