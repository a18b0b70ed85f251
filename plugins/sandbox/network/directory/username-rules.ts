const MIN_LENGTH = 3
export const MAX_LENGTH = 35
const DOMAINS = /\.(com|org|net|int|edu|gov|mil|arpa|html?|txt|xml)$/
const RESERVED = /whatsapp|instagram|facebook|oculus/

/** The first rule that a username breaks, in the order of WhatsApp Web (ZP protocol/username.ts); undefined if none. */
export function usernameFault(username: string): string | undefined {
  const name = username.toLowerCase()
  if (!/^[a-z0-9._]*$/.test(name) || name.length < MIN_LENGTH || name.length > MAX_LENGTH)
    return 'a username has 3 to 35 letters, digits, dots and underscores'
  if (!/[a-z]/.test(name)) return 'a username has a letter'
  if (name.startsWith('.') || name.endsWith('.') || name.includes('..'))
    return 'a username has no dot at either end, and no two in a row'
  if (name.startsWith('www.') || DOMAINS.test(name)) return 'a username does not look like a web address'
  return RESERVED.test(name) ? 'a username does not name a product of Meta' : undefined
}
