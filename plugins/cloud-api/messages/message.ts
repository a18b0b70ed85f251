import { toVcard } from 'wamux/messaging'
import { gatewayError, type LiveSession, type Viewer } from 'wamux/plugin'
import type { SessionValues } from '../config.ts'
import { templateParts } from '../templates/render.ts'
import type { Templates } from '../templates/templates.ts'
import type { ContactGiven, MessageGiven } from './body.ts'
import type { CloudFiles } from './files.ts'
import { interactiveOf } from './interactive.ts'
import { type BuiltPart, partsOf } from './parts.ts'

export interface BuildParts {
  readonly session: LiveSession
  readonly viewer: Viewer
  readonly chat: string
  readonly mode: SessionValues['interactive']
  readonly files: CloudFiles
  readonly templates: Templates
}

/** The message of a request. Rejects with an error that names the field. */
export async function build(given: MessageGiven, parts: BuildParts): Promise<BuiltPart> {
  const { session, chat, files, templates } = parts
  const { type = 'text' } = given
  const needed = <K extends keyof MessageGiven>(name: K): NonNullable<MessageGiven[K]> => {
    const part = given[name]
    if (part === undefined || part === null) throw gatewayError('FIELD_MISSING', [name])
    return part
  }
  switch (type) {
    case 'text': {
      const { body } = needed('text')
      return { content: () => ({ text: body, linkPreview: null }) }
    }
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
    case 'sticker': {
      const file = needed(type)
      return { content: () => files.content(parts, type, file) }
    }
    case 'location': {
      const { latitude, longitude, name = '', address = '' } = needed('location')
      const location = { degreesLatitude: latitude, degreesLongitude: longitude, name, address }
      return { content: () => ({ location }) }
    }
    case 'contacts': {
      const contacts = needed('contacts').map(vcardOf)
      const displayName =
        contacts.length === 1 ? (contacts[0]?.displayName ?? '') : `${contacts.length} contacts`
      return { content: () => ({ contacts: { displayName, contacts } }) }
    }
    case 'reaction': {
      const { message_id: id, emoji: text = '' } = needed('reaction')
      const stored = await session.socket.message({ chat, id }, parts.viewer)
      if (!stored) throw gatewayError('MESSAGE_UNKNOWN', [], { details: 'reaction.message_id' })
      return { content: () => ({ react: { text, key: { ...stored.key, remoteJid: chat } } }) }
    }
    case 'interactive':
      return interactiveOf(partsOf(needed('interactive')), parts)
    case 'template': {
      const asked = needed('template')
      const template = await templates.find(session.id, asked.name, asked.language.code)
      if (!template) throw gatewayError('CLOUD_TEMPLATE_UNKNOWN', [asked.name, asked.language.code])
      return interactiveOf(templateParts(template, asked), parts)
    }
    default:
      throw gatewayError('CLOUD_UNSUPPORTED', [`type "${type}"`])
  }
}

/** Converts a Graph contact to a vCard. */
function vcardOf(contact: ContactGiven): { displayName: string; vcard: string } {
  const { name, phones = [], emails = [], urls = [], org, birthday } = contact
  const vcard = toVcard({
    name: name.formatted_name,
    firstName: name.first_name,
    lastName: name.last_name,
    organization: org?.company,
    department: org?.department,
    title: org?.title,
    phones: phones.flatMap(phoneOf),
    emails: emails.flatMap(({ email }) => email || []),
    urls: urls.flatMap(({ url }) => url || []),
    birthday,
  })
  return { displayName: name.formatted_name, vcard }
}

function phoneOf({ phone = '', wa_id = '', type = 'CELL' }: NonNullable<ContactGiven['phones']>[number]) {
  const digits = (wa_id || phone).replace(/\D/g, '')
  if (!digits) return []
  if (!/^\d{3,15}$/.test(digits))
    throw gatewayError('FIELD_INVALID', ['contacts.phones.phone', `"${phone}" is not a phone number`])
  return [{ digits, shown: phone, types: [type] }]
}
