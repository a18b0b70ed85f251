import { createHash } from 'node:crypto'
import type { AnyMessageContent } from '@whiskeysockets/baileys'
import type { LiveSession, Static } from 'wamux/plugin'
import { type ContextGiven, readContext } from './context.ts'
import type { Sent } from './schemas.ts'
import { toChat } from './target.ts'

export interface SendRequest {
  session: LiveSession
  body: { Phone: string; Id?: string; ContextInfo?: ContextGiven; QuotedText?: string }
}

/**
 * Sends what `content` makes, with its context, and answers once the network took it. A client's own id never
 * goes out twice; with another request behind it, it is refused.
 */
export async function send(
  path: string,
  { session, body }: SendRequest,
  content: () => Promise<AnyMessageContent> | AnyMessageContent,
): Promise<Static<typeof Sent>> {
  const chat = toChat(body.Phone)
  const { contextInfo, quoted } = await readContext(session, chat, body.ContextInfo, body.QuotedText)
  const made = await content()
  const sent = await session.socket.send(
    chat,
    (contextInfo ? { ...made, contextInfo } : made) as AnyMessageContent,
    {
      ...(body.Id ? { id: body.Id, fingerprint: fingerprint(path, body) } : {}),
      ...(quoted ? { quoted } : {}),
    },
  )
  return { Details: 'Sent', Id: sent.id, Timestamp: sent.timestamp, Chat: sent.chat }
}

/** The same request in another order of its keys is the same request. */
function fingerprint(path: string, body: object): string {
  return createHash('sha256').update(path).update(canonical(body)).digest('hex')
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join()}}`
}
