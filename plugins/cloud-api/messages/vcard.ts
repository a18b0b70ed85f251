import { gatewayError } from 'wamux/plugin'
import type { ContactGiven } from './body.ts'

/** A contact of Graph as vCard 3.0 (RFC 2426); `waid` gives the number a button for sending a message. */
export function vcardOf(contact: ContactGiven): { displayName: string; vcard: string } {
  const { name, phones = [], emails = [], urls = [], org, birthday } = contact
  const displayName = String(name.formatted_name)
  const lines = [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:${escaped(name.last_name)};${escaped(name.first_name ?? displayName)};;;`,
    `FN:${escaped(displayName)}`,
    ...(org?.company ? [`ORG:${escaped(org.company)};${escaped(org.department)}`] : []),
    ...(org?.title ? [`TITLE:${escaped(org.title)}`] : []),
    ...phones.flatMap(phoneLine),
    ...emails.flatMap(({ email }) => (email ? [`EMAIL:${escaped(email)}`] : [])),
    ...urls.flatMap(({ url }) => (url ? [`URL:${escaped(url)}`] : [])),
    ...(birthday ? [`BDAY:${escaped(birthday)}`] : []),
    'END:VCARD',
  ]
  return { displayName, vcard: lines.join('\n') }
}

function phoneLine({ phone = '', wa_id = '', type = 'CELL' }: NonNullable<ContactGiven['phones']>[number]) {
  const digits = (wa_id || phone).replace(/\D/g, '')
  if (!digits) return []
  if (!/^\d{3,15}$/.test(digits))
    throw gatewayError('FIELD_INVALID', ['contacts.phones.phone', `"${phone}" is not a phone number`])
  return [`TEL;type=${type.replace(/\W/g, '') || 'CELL'};waid=${digits}:${escaped(phone || `+${digits}`)}`]
}

function escaped(text: unknown = ''): string {
  return String(text)
    .replace(/[\\;,]/g, (mark) => `\\${mark}`)
    .replace(/\r?\n/g, '\\n')
}
