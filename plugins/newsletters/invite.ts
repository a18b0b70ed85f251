import { gatewayError, T } from 'wamux/plugin'

/** An invite, under any of the field names that clients use. */
export const Invite = {
  Code: T.Optional(
    T.String({
      minLength: 1,
      format: 'link',
      names: 'unknown',
      leaves: 'nothing',
      description: 'Part of the link after https://whatsapp.com/channel/',
    }),
  ),
  Link: T.Optional(
    T.String({
      minLength: 1,
      format: 'link',
      names: 'unknown',
      leaves: 'nothing',
      description: 'The whole link',
    }),
  ),
  Key: T.Optional(
    T.String({
      minLength: 1,
      format: 'link',
      names: 'unknown',
      leaves: 'nothing',
      description: 'Code or link',
    }),
  ),
}

/** @param missing field named by FIELD_MISSING if none is given. */
export function codeOf(
  { Code, Link, Key }: { Code?: string; Link?: string; Key?: string },
  missing = 'Code',
): string {
  const given = (Code ?? Link ?? Key)?.trim()
  if (!given) throw gatewayError('FIELD_MISSING', [missing])
  const path = given.replace(/^(https?:\/\/)?(www\.)?whatsapp\.com\/channel\//i, '')
  const [code = ''] = path.split(/[/?#]/, 1)
  if (!/^[\w-]+$/.test(code))
    throw gatewayError('FIELD_INVALID', [Code ? 'Code' : Link ? 'Link' : 'Key', 'is not a newsletter link'])
  return code
}
