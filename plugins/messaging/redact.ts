/** Names of fields that hold a message, a file, a stanza, or what somebody is called. */
export const redact: readonly string[] = [
  ...['qrcode', 'linkingcode', 'creds'],
  ...['message', 'caption', 'conversation', 'plain', 'uploadresult'],
  ...['image', 'audio', 'video', 'document', 'sticker', 'media'],
  // Stanzas, under all the names that the log of the driver's library has for them.
  ...['xml', 'node', 'frame', 'child', 'content', 'handshake', 'updates', 'syncaction', 'patch'],
  ...['payloadnode', 'reasonnode', 'fullerrornode', 'groupnode'],
  ...['me', 'notify', 'pushname', 'verifiedname', 'fullname', 'firstname', 'subject', 'desc'],
]
