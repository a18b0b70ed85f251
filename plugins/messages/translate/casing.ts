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

interface Jsonable {
  toJSON(): unknown
}

/** A protobuf message as plain JSON: bytes as base64, 64-bit numbers as text, names as above. */
export function toFamilyCasing(message: Jsonable): Record<string, unknown> {
  return rename(message.toJSON()) as Record<string, unknown>
}

function rename(value: unknown, parent = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => rename(item, parent))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [nameOf(name, parent), rename(field, name)]),
  )
}

/** `id` is `ID` only in a message key: elsewhere it is the sender's content. */
function nameOf(name: string, parent: string): string {
  if (name === 'id' && /key$/i.test(parent)) return 'ID'
  return NAMES[name] ?? name
}
