interface Names {
  readonly FullName: string
  readonly FirstName: string
  readonly BusinessName: string
  readonly PushName: string
}

/** The name of a contact as chats have it (plugins/chat-log/chats.ts); '' without one. */
export const contactName = ({ FullName, FirstName, BusinessName, PushName }: Names): string =>
  FullName || FirstName || BusinessName || PushName

/** The phone number in a JID, without the number of a device; '' for a LID. */
export const phoneIn = (jid: string): string => (jid.endsWith('@lid') ? '' : jid.replace(/[:@].*/, ''))
