import type { LogEvent } from 'wamux/plugin'
import { HIDDEN, type Normal, type ValueContext } from './events.ts'
import { blankless, type CloudContent, typed } from './fields.ts'
import { answerOf, type ReplyDeps, selectionOf, voteOf } from './replies.ts'

/** `type`, the field of that name, and `context`, in Graph's form; undefined for content that is not shown. */
export async function contentOf(
  line: LogEvent,
  about: ValueContext,
  deps: ReplyDeps,
): Promise<CloudContent | undefined> {
  const message = line.body['message'] as Normal
  const { type } = message
  if (HIDDEN.has(type) || message.refused) return undefined
  if (type === 'vote') return voteOf(message, about, deps)
  const context = { ...contextOf(message), ...referralOf(message) }
  if (type === 'selection') return { ...(await selectionOf(line, about, deps)), ...context }
  const isClosed = about.edits === 'unsupported' && (type === 'edit' || type === 'revoke')
  const answer = type === 'text' ? await answerOf(line, about, deps) : undefined
  return answer
    ? { ...answer, ...referralOf(message) }
    : { ...((isClosed ? undefined : plainOf(line, message)) ?? UNSUPPORTED), ...context }
}

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

function plainOf(line: LogEvent, message: Normal): CloudContent | undefined {
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
      return message.location && typed('location', placeOf(message.location))
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
      // Texts, and content without its own type that has a text, for example an invitation.
      return text ? typed('text', { body: text }) : undefined
  }
}

/** A file is identified by its event's id. */
function fileOf(
  type: string,
  line: LogEvent,
  { media, text, type: kind, isViewOnce }: Normal,
): CloudContent | undefined {
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

function contextOf({ quoted, isForwarded }: Normal): CloudContent {
  const from = quoted && { from: quoted.from.phone || quoted.from.jid, id: quoted.id }
  const context = { ...from, ...(isForwarded ? { forwarded: true } : {}) }
  return Object.keys(context).length > 0 ? { context } : {}
}

/** The ad or post from which the message was written; nothing if the sender does not say which. */
function referralOf({ ad, isFromMe }: Normal): CloudContent {
  if (!ad || isFromMe || !(ad.id || ad.url || ad.ctwaClid)) return {}
  const { media } = ad
  const referral = blankless({
    source_url: ad.url,
    source_type: ad.source,
    source_id: ad.id,
    headline: ad.headline,
    body: ad.body,
    ...(media ? { media_type: media.type, [`${media.type}_url`]: media.url } : {}),
    thumbnail_url: media?.thumbnailUrl ?? '',
    ctwa_clid: ad.ctwaClid,
  })
  return { referral: ad.greeting ? { ...referral, welcome_message: { text: ad.greeting } } : referral }
}

function contactOf({ name, phones }: NonNullable<Normal['contacts']>[number]): CloudContent {
  return {
    name: { formatted_name: name, first_name: name },
    phones: phones.map((phone) => ({ phone: `+${phone}`, wa_id: phone, type: 'CELL' })),
  }
}

/** Graph has no fields for what a live location has in addition. */
function placeOf({ latitude, longitude, name, address }: NonNullable<Normal['location']>): CloudContent {
  return blankless({ latitude, longitude, name, address })
}
