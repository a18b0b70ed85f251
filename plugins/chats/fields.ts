import { gatewayError, T } from 'wamux/plugin'

const NAMES = ['Chat', 'Jid', 'Phone', 'Number']

/** The chat, under the field name of a route; the other names are aliases. */
export const chatBy = (name: string) =>
  T.String({
    minLength: 1,
    format: 'phone',
    aliases: NAMES.filter((other) => other.toLowerCase() !== name.toLowerCase()),
    description: 'Phone number with country code, the JID of a person or group, or a username (@name)',
    examples: ['5511999999999'],
  })

/** On or off; the route's own words are accepted too. On when absent. */
export const onOff = (on: string, off: string) =>
  T.Unsafe<boolean | string>({
    type: ['boolean', 'string'],
    maxLength: 16,
    words: ['true', 'false', on, off],
    default: true,
    description: `true or "${on}", false or "${off}"`,
  })

/** Throws FIELD_INVALID for any other word. */
export function isOn(field: string, value: boolean | string, on: string, off: string): boolean {
  if (value === true || value === 'true' || value === on) return true
  if (value === false || value === 'false' || value === off) return false
  throw gatewayError('FIELD_INVALID', [field, `must be true, false, "${on}" or "${off}"`])
}
