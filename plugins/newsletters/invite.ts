import { gatewayError, T } from 'wamux/plugin'

/** An invite, by any of the names that clients give it. */
export const Invite = {
  Code: T.Optional(T.String({ minLength: 1, description: 'What follows https://whatsapp.com/channel/' })),
  Link: T.Optional(T.String({ minLength: 1, description: 'The whole link' })),
  Key: T.Optional(T.String({ minLength: 1, description: 'Either of them' })),
}

/** @param missing the field that is named where there is none of them. */
export function codeOf(
  { Code, Link, Key }: { Code?: string; Link?: string; Key?: string },
  missing = 'Code',
): string {
  const given = (Code ?? Link ?? Key)?.trim()
  if (!given) throw gatewayError('FIELD_MISSING', [missing])
  const code = given.replace(/^(https?:\/\/)?(www\.)?whatsapp\.com\/channel\//i, '').replace(/[/?#].*$/, '')
  if (!/^[\w-]+$/.test(code))
    throw gatewayError('FIELD_INVALID', [Code ? 'Code' : Link ? 'Link' : 'Key', 'it is no newsletter link'])
  return code
}
