/** A contact to send. */
export interface ContactCard {
  /** The displayed name. */
  readonly name: string
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
  readonly organization?: string | undefined
  readonly department?: string | undefined
  readonly title?: string | undefined
  readonly phones: readonly {
    readonly digits: string
    /** The displayed number; its digits if absent. */
    readonly shown?: string | undefined
    readonly types: readonly string[]
  }[]
  readonly emails?: readonly string[] | undefined
  readonly urls?: readonly string[] | undefined
  readonly birthday?: string | undefined
}

/** vCard 3.0 (RFC 2426); `waid` gives the number a button for sending a message. */
export function toVcard(card: ContactCard): string {
  const { name, firstName = name, lastName, organization, department, title, phones, birthday } = card
  return [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:${escaped(lastName)};${escaped(firstName)};;;`,
    `FN:${escaped(name)}`,
    ...(organization ? [`ORG:${escaped(organization)};${escaped(department)}`] : []),
    ...(title ? [`TITLE:${escaped(title)}`] : []),
    ...phones.map(phoneLine),
    ...(card.emails ?? []).map((email) => `EMAIL:${escaped(email)}`),
    ...(card.urls ?? []).map((url) => `URL:${escaped(url)}`),
    ...(birthday ? [`BDAY:${escaped(birthday)}`] : []),
    'END:VCARD',
  ].join('\n')
}

function phoneLine({ digits, shown, types }: ContactCard['phones'][number]): string {
  const kinds = types.map((type) => `;type=${type.replace(/\W/g, '') || 'CELL'}`).join('')
  return `TEL${kinds};waid=${digits}:${escaped(shown || `+${digits}`)}`
}

function escaped(text = ''): string {
  return text.replace(/[\\;,]/g, (mark) => `\\${mark}`).replace(/\r?\n/g, '\\n')
}
