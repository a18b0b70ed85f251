import { LENGTHS, toVcard } from 'wamux/messaging'
import { gatewayError, type Static, T } from 'wamux/plugin'

/** Maximum length; a vCard may contain a picture. */
const MAX_TEXT = 262_144

const Card = T.Object(
  {
    FullName: T.String({ minLength: 1, maxLength: LENGTHS.line }),
    Phone: T.String({ minLength: 1, maxLength: LENGTHS.id, format: 'phone' }),
    Organization: T.Optional(T.String({ maxLength: LENGTHS.line })),
  },
  { title: 'ContactCard' },
)

/** A contact by its fields, or a complete vCard as text. */
export const Vcard = T.Union([Card, T.String({ minLength: 1 })], {
  // On the union, not on its branch, so that its error is the one reported.
  maxLength: MAX_TEXT,
  names: 'none',
  description: 'FullName, Phone, Organization; or a vCard as text',
})

/** The card, and the name that the chat shows. */
export function cardOf(given: Static<typeof Vcard>, name?: string): { vcard: string; displayName: string } {
  if (typeof given === 'string') {
    if (!/^BEGIN:VCARD/i.test(given))
      throw gatewayError('FIELD_INVALID', ['Vcard', 'text must begin with BEGIN:VCARD'])
    const shown = name ?? nameIn(given) ?? 'Contact'
    return { vcard: given, displayName: shown }
  }
  const digits = given.Phone.replace(/\D/g, '')
  if (!/^\d{5,15}$/.test(digits)) throw gatewayError('PHONE_INVALID', [`"${given.Phone}" in Vcard`])
  const phones = [{ digits, types: ['CELL', 'VOICE'] }]
  const vcard = toVcard({ name: given.FullName, organization: given.Organization, phones })
  return { vcard, displayName: given.FullName }
}

/** The formatted name in a vCard. */
function nameIn(vcard: string): string | undefined {
  const [line = ''] = vcard.split(/[\r\n]+/).filter((one) => /^FN[^:]*:./is.test(one))
  return line.slice(line.indexOf(':') + 1).trim() || undefined
}
