import type { GatewayEvents, LogEvent, Session } from 'wamux/plugin'
import { phoneOf } from '../graph/number-id.ts'
import type { Facts, SentFacts } from '../store/sent-facts.ts'

type Normal = GatewayEvents['Message']['message']
type Content = Record<string, unknown>

/** `type`, the field of that name, and `context`, as Graph has them; undefined for what is not shown. */
export async function contentOf(
  line: LogEvent,
  session: Session,
  sentFacts: SentFacts,
): Promise<Content | undefined> {
  const message = line.body['message'] as Normal
  if (HIDDEN.has(message.type)) return undefined
  if (message.type === 'vote') return voteOf(message, session, sentFacts)
  const context = contextOf(message)
  if (message.type === 'selection')
    return { ...(await selectionOf(line, message, session, sentFacts)), ...context }
  return { ...(plainOf(line, message) ?? UNSUPPORTED), ...context }
}

const HIDDEN: ReadonlySet<Normal['type']> = new Set(['system', 'pin', 'album'])

const UNSUPPORTED = {
  type: 'unsupported',
  errors: [
    {
      code: 131051,
      title: 'Message type unknown',
      message: 'Message type unknown',
      error_data: { details: 'Message type is currently not supported.' },
    },
  ],
}

const typed = (type: string, part: unknown): Content => ({ type, [type]: part })

function plainOf(line: LogEvent, message: Normal): Content | undefined {
  const { type, text, targetId = '' } = message
  switch (type) {
    case 'image':
    case 'video':
    case 'sticker':
    case 'document':
      return fileOf(type, line, message)
    case 'videoNote':
      return fileOf('video', line, message)
    case 'audio':
    case 'voice':
      return fileOf('audio', line, message)
    case 'location':
    case 'liveLocation':
      return message.location && typed('location', blankless({ ...message.location }))
    case 'contact':
      return typed('contacts', (message.contacts ?? []).map(contactOf))
    case 'reaction':
      return typed('reaction', { message_id: targetId, ...(message.reaction?.emoji ? message.reaction : {}) })
    case 'edit':
      return typed('edit', { original_message_id: targetId, message: typed('text', { body: text }) })
    case 'revoke':
      return typed('revoke', { original_message_id: targetId })
    case 'poll': {
      const options = (message.poll?.options ?? []).map((option, at) => `${at + 1}. ${option}`)
      return typed('text', { body: [message.poll?.question ?? '', ...options].join('\n') })
    }
    default:
      // Texts, and what has no type of its own but words, such as an invitation.
      return text ? typed('text', { body: text }) : undefined
  }
}

/** A file is named by the id of its event. */
function fileOf(
  type: string,
  line: LogEvent,
  { media, text, type: kind, isViewOnce }: Normal,
): Content | undefined {
  const { Message = {} } = line.body['event'] as { Message?: Record<string, Record<string, unknown>> }
  const part = Object.values(Message).find((one) => one?.['mediaKey'])
  if (!part || !media) return undefined
  const shown = {
    id: line.id,
    mime_type: media.mimeType,
    sha256: String(part['fileSHA256'] ?? ''),
    caption: text,
    ...(type === 'document' ? { filename: media.fileName } : {}),
    ...(type === 'audio' ? { voice: kind === 'voice' } : {}),
    ...(type === 'sticker' ? { animated: part['isAnimated'] === true } : {}),
    ...(isViewOnce ? { view_once: true } : {}),
  }
  return typed(type, blankless(shown))
}

async function voteOf(
  { targetId = '', vote }: Normal,
  session: Session,
  sentFacts: SentFacts,
): Promise<Content | undefined> {
  // A vote that was withdrawn, or whose poll is not known.
  if (!vote || vote.options.length === 0) return undefined
  const facts = await sentFacts.find(session.id, targetId)
  const context = { context: { from: phoneOf(session.jid), id: targetId } }
  const chosen = facts?.choices?.find(({ label }) => vote.options.includes(label))
  if (!facts || !chosen) return { ...typed('text', { body: vote.options.join(', ') }), ...context }
  return { ...replyOf(facts.kind, chosen), ...context }
}

async function selectionOf(
  line: LogEvent,
  { selection, quoted, text }: Normal,
  session: Session,
  sentFacts: SentFacts,
): Promise<Content> {
  const facts = quoted && (await sentFacts.find(session.id, quoted.id))
  const id = flowIdOf(line) || selection?.id || ''
  const chosen = facts?.choices?.find((choice) => choice.id === id)
  return replyOf(facts?.kind, chosen ?? { id, title: selection?.text || text || id })
}

/** A reply to native buttons holds the chosen id in JSON of its own. */
function flowIdOf(line: LogEvent): string {
  const { Message = {} } = line.body['event'] as { Message?: Record<string, Record<string, unknown>> }
  const flow = Message['interactiveResponseMessage']?.['nativeFlowResponseMessage'] as
    | Record<string, unknown>
    | undefined
  try {
    return String((JSON.parse(String(flow?.['paramsJson'])) as { id?: string }).id ?? '')
  } catch {
    return ''
  }
}

interface Chosen {
  readonly id: string
  readonly title: string
  readonly description?: string | undefined
}

function replyOf(kind: Facts['kind'], { id, title, description }: Chosen): Content {
  if (kind === 'template') return typed('button', { payload: id, text: title })
  if (kind === 'list')
    return typed('interactive', typed('list_reply', blankless({ id, title, description: description ?? '' })))
  return typed('interactive', typed('button_reply', { id, title }))
}

function contextOf({ quoted, isForwarded }: Normal): Content {
  const from = quoted && { from: quoted.from.phone || quoted.from.jid, id: quoted.id }
  const context = { ...from, ...(isForwarded ? { forwarded: true } : {}) }
  return Object.keys(context).length > 0 ? { context } : {}
}

function contactOf({ name, phones }: NonNullable<Normal['contacts']>[number]): Content {
  return {
    name: { formatted_name: name, first_name: name },
    phones: phones.map((phone) => ({ phone: `+${phone}`, wa_id: phone, type: 'CELL' })),
  }
}

function blankless(fields: Record<string, unknown>): Content {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
}
