import { gatewayError, T } from 'wamux/plugin'

const MAX_HEADERS = 20
const MAX_VALUE = 4_096

/** Headers that a client adds to the deliveries of an endpoint. */
export const OwnHeaders = T.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: MAX_HEADERS,
  additionalProperties: { type: 'string', maxLength: MAX_VALUE },
  description:
    'Headers to add to every delivery, for example Authorization; replaces the previous ones, `{}` removes them. Values are never shown again',
  examples: [{ Authorization: 'Bearer …' }],
})

/** Headers of the connection, of the body, and of the gateway itself. */
const RESERVED =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|http2-settings|content-.*|user-agent|date|traceparent|webhook-.*|x-hmac-signature|x-webhook-.*|x-gateway-.*)$/

/** The headers by lower-case name. Throws FIELD_INVALID with the header's name but not its value. */
export function checkHeaders(headers: Record<string, string>): Record<string, string> {
  const checked: Record<string, string> = {}
  for (const [given, value] of Object.entries(headers)) {
    const name = given.toLowerCase()
    const field = `Headers.${given.slice(0, 64)}`
    const refuse = (why: string): never => {
      throw gatewayError('FIELD_INVALID', [field, why])
    }
    if (!/^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/.test(name)) refuse('not the name of a header')
    if (RESERVED.test(name)) refuse('the gateway sets this header itself')
    if (name in checked) refuse('given twice')
    if (!/^[\t\x20-\x7e]*$/.test(value)) refuse('its value must be one line of printable ASCII')
    checked[name] = value
  }
  return checked
}
