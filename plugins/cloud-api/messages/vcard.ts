import { toVcard } from 'wamux/messaging'
import { gatewayError } from 'wamux/plugin'
import type { ContactGiven } from './body.ts'

/** Converts a Graph contact to a vCard. */
export function vcardOf(contact: ContactGiven): { displayName: string; vcard: string } {
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
