import { LENGTHS } from 'wamux/messaging'
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

/** vCard 3.0 (RFC 2426); `waid` gives the number a button for sending a message. */
export function toVcard(given: Static<typeof Vcard>, name?: string): { vcard: string; displayName: string } {
  if (typeof given === 'string') {
    if (!/^BEGIN:VCARD/i.test(given))
      throw gatewayError('FIELD_INVALID', ['Vcard', 'text must begin with BEGIN:VCARD'])
    const shown = name ?? /^FN[^:\r\n]*:(.+)$/im.exec(given)?.[1]?.trim() ?? 'Contact'
    return { vcard: given, displayName: shown }
  }
  const digits = given.Phone.replace(/\D/g, '')
  if (!/^\d{5,15}$/.test(digits)) throw gatewayError('PHONE_INVALID', [`"${given.Phone}" in Vcard`])
  const lines = [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:;${escaped(given.FullName)};;;`,
    `FN:${escaped(given.FullName)}`,
    ...(given.Organization ? [`ORG:${escaped(given.Organization)};`] : []),
    `TEL;type=CELL;type=VOICE;waid=${digits}:+${digits}`,
    'END:VCARD',
  ]
  return { vcard: lines.join('\n'), displayName: given.FullName }
}

function escaped(text: string): string {
  return text.replace(/[\\;,]/g, (mark) => `\\${mark}`).replace(/\r?\n/g, '\\n')
}
