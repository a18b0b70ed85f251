/** Names of fields that hold a message, a file, a stanza, or a person's name. */
export const redact: readonly string[] = [
  ...['qrcode', 'linkingcode', 'creds'],
  ...['message', 'caption', 'conversation', 'plain', 'uploadresult'],
  ...['image', 'audio', 'video', 'document', 'sticker', 'media'],
  // Stanzas, under all names that Baileys' log uses for them.
  ...['xml', 'node', 'frame', 'child', 'content', 'handshake', 'updates', 'syncaction', 'patch'],
  ...['payloadnode', 'reasonnode', 'fullerrornode', 'groupnode'],
  ...['me', 'notify', 'pushname', 'verifiedname', 'fullname', 'firstname', 'subject', 'desc'],
]
