import { createHash, randomBytes } from 'node:crypto'
import type { GatewayAddress } from 'wamux/plugin'

const NAME = 'wamux_dashboard'

export const newSecret = (): string => randomBytes(32).toString('base64url')

export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** The secret in the header `Cookie`; '' without one. */
export function readCookie(header: string): string {
  for (const part of header.split(';')) {
    const [name = '', value = ''] = part.trim().split('=')
    if (name === NAME && /^[\w-]{43}$/.test(value)) return value
  }
  return ''
}

/** Sent only from pages of this gateway to this gateway, and not readable by scripts. 0 seconds delete it. */
export function cookieOf(value: string, { path, isSecure }: GatewayAddress, seconds: number): string {
  const fields = [`${NAME}=${value}`, `Path=${path}/`, `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Strict']
  return [...fields, ...(isSecure ? ['Secure'] : [])].join('; ')
}
