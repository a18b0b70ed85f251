import { askUsers, child, node } from 'wamux/messaging'
import { gatewayError, type LiveSession } from 'wamux/plugin'

/** `@name` or `@name:1234`; JIDs have text before the @. */
export function isUsername(phone: string): boolean {
  return phone.trim().startsWith('@')
}

/**
 * The JID of the account with this username: the LID if it hides its number. The network finds it by a usync query for
 * the contact, with no other protocol (innovatorssoft/Baileys#92). An account whose username has a PIN is found only with it
 * (zapo transport/node/builders/profile.ts).
 *
 * @param field named by the errors: FIELD_INVALID for a malformed name, USERNAME_UNKNOWN (404).
 */
export async function findUsername(
  { socket }: LiveSession,
  username: string,
  field: string,
): Promise<string> {
  const { name, pin } = parseUsername(username, field)
  const contact = node('contact', pin ? { username: name, pin } : { username: name })
  const protocols = [node('contact', {})]
  const [user] = await askUsers(socket, protocols, [node('user', {}, [contact])], 'look the username up')
  const jid = user?.attrs['jid']
  if (!jid || child(user, 'contact')?.attrs['type'] !== 'in')
    throw gatewayError('USERNAME_UNKNOWN', [field, `@${name}`])
  return jid
}

/** What follows the colon is quoted in no error: it is a PIN, or nearly one. */
function parseUsername(username: string, field: string): { name: string; pin: string | undefined } {
  const [handle = '', ...rest] = username.trim().toLowerCase().split(':')
  // An @ in the name would be encoded as the separator of a JID.
  if (!/^@[a-z0-9._]{3,35}$/.test(handle))
    throw gatewayError('FIELD_INVALID', [field, `"${handle}" is not a username`])
  if (rest.length === 0) return { name: handle.slice(1), pin: undefined }
  const pin = rest.join(':')
  if (!/^\d{4}$/.test(pin))
    throw gatewayError('FIELD_INVALID', [field, `the PIN of ${handle} must have four digits`])
  return { name: handle.slice(1), pin }
}
