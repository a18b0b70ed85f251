/** Field names whose case differs between receivers of this family and Baileys' protobuf. */
const NAMES: Readonly<Record<string, string>> = {
  url: 'URL',
  fileSha256: 'fileSHA256',
  fileEncSha256: 'fileEncSHA256',
  jpegThumbnail: 'JPEGThumbnail',
  pngThumbnail: 'PNGThumbnail',
  ptt: 'PTT',
  stanzaId: 'stanzaID',
  mentionedJid: 'mentionedJID',
  remoteJid: 'remoteJID',
  thumbnailSha256: 'thumbnailSHA256',
  thumbnailEncSha256: 'thumbnailEncSHA256',
  groupJid: 'groupJID',
  orderId: 'orderID',
  productId: 'productID',
  selectedButtonId: 'selectedButtonID',
  selectedId: 'selectedID',
  selectedRowId: 'selectedRowID',
}

const BACK: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(NAMES).map(([name, family]) => [family, name]),
)

interface Jsonable {
  toJSON(): unknown
}

/** A protobuf message as plain JSON: bytes as base64, 64-bit numbers as text, names as above. */
export function toFamilyCasing(message: Jsonable): Record<string, unknown> {
  return renamed(message.toJSON(), familyNameOf) as Record<string, unknown>
}

/** The same JSON with the names of Baileys' protobuf. */
export function fromFamilyCasing(json: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return renamed(json, nameOf) as Record<string, unknown>
}

type NameOf = (name: string, parent: string) => string

function renamed(value: unknown, to: NameOf, parent = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, to, parent))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [to(name, parent), renamed(field, to, name)]),
  )
}

/** `id` is `ID` only in a message key: elsewhere it is the sender's content. */
function familyNameOf(name: string, parent: string): string {
  if (name === 'id' && isKey(parent)) return 'ID'
  return NAMES[name] ?? name
}

function nameOf(name: string, parent: string): string {
  if (name === 'ID' && isKey(parent)) return 'id'
  return BACK[name] ?? name
}

function isKey(parent: string): boolean {
  return /key$/i.test(parent)
}
