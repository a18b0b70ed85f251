import { gatewayError } from '../errors.ts'
import { KINDS } from '../validate/kinds.ts'

const MAX_FIELDS = 1_000
const MAX_NAME = 256
const MAX_FILE_NAME = 1_024
const MAX_TEXT = KINDS.text.longest

/**
 * Fields and files of a `multipart/form-data` body, or the fields of a URL-encoded one. Rejects BODY_UNREADABLE, and
 * FIELD_INVALID for a text that is too long.
 */
export async function parseForm(body: Buffer, type = ''): Promise<FormData> {
  assertFew(body, type)
  const form = await read(body, type)
  for (const [name, value] of form) {
    if (name.length > MAX_NAME) refuse(name.slice(0, MAX_NAME), 'its name ', MAX_NAME)
    if (typeof value === 'string') {
      if (value.length > MAX_TEXT) refuse(name, '', MAX_TEXT)
    } else if (Math.max(value.name.length, value.type.length) > MAX_FILE_NAME)
      refuse(name, 'its name ', MAX_FILE_NAME)
  }
  return form
}

async function read(body: Buffer, type: string): Promise<FormData> {
  try {
    return await new Response(body, { headers: { 'content-type': type } }).formData()
  } catch (cause) {
    throw gatewayError('BODY_UNREADABLE', ['the body is not a valid form'], { cause })
  }
}

/** Counted before parsing: as many fields as fit in 64 MB would take seconds. */
function assertFew(body: Buffer, type: string): void {
  const [, quoted, plain] = /boundary=(?:"([^"]{1,200})"|([^;\s]{1,200}))/i.exec(type) ?? []
  const separator = type.startsWith('multipart/') ? `--${quoted ?? plain ?? ''}` : '&'
  let at = body.indexOf(separator)
  // The last separator of a multipart form marks its end.
  for (let count = 0; at !== -1; count += 1) {
    if (count > MAX_FIELDS)
      throw gatewayError('BODY_UNREADABLE', [`the form has more than ${MAX_FIELDS} fields`])
    at = body.indexOf(separator, at + separator.length)
  }
}

function refuse(field: string, what: string, most: number): never {
  throw gatewayError('FIELD_INVALID', [field, `${what}must NOT have more than ${most} characters`])
}
