/** File extensions of the most frequent types; others are named after their subtype. */
const ENDINGS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'video/3gpp': '3gp',
  'video/quicktime': 'mov',
  'text/plain': 'txt',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.ms-excel': 'xls',
}

/** The extension, including the dot, for a file of that type; a document's own name takes precedence. */
export function endingOf(mimetype: string, name = ''): string {
  const own = /\.(\w{1,8})$/.exec(name)?.[1]
  const type = mimetype.split(';')[0]?.trim().toLowerCase() ?? ''
  const subtype = /^\w+\/([a-z0-9]{1,8})$/.exec(type)?.[1]
  return `.${own ?? ENDINGS[type] ?? subtype ?? 'bin'}`
}
