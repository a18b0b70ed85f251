import { type FlowButton, flowButton, LENGTHS } from 'wamux/messaging'
import { gatewayError, type Static, T } from 'wamux/plugin'
import { OneOf } from './schemas.ts'

/** A button of any kind, in the spellings of several gateways. */
export const Button = T.Object(
  {
    DisplayText: T.String({
      minLength: 1,
      maxLength: LENGTHS.line,
      aliases: ['Text', 'Label', 'ButtonText'],
      description: 'Label of the button',
    }),
    Type: T.Optional(
      OneOf(
        ['quickreply', 'reply', 'url', 'call', 'copy'],
        'Effect: reply (default), open a page, call a number, copy a text',
      ),
    ),
    Id: T.Optional(
      T.String({
        maxLength: LENGTHS.line,
        format: 'id',
        aliases: ['ButtonId', 'CopyCode'],
        description: 'quickreply: the id that the reply contains; copy: the text; call: the number',
      }),
    ),
    Url: T.Optional(T.String({ maxLength: LENGTHS.url, leaves: 'nothing', description: 'url: the page' })),
    PhoneNumber: T.Optional(
      T.String({ maxLength: LENGTHS.id, format: 'phone', names: 'none', description: 'call: the number' }),
    ),
  },
  { title: 'Button' },
)

/** Maximum number of buttons of all kinds; apps show fewer. */
export const MAX_BUTTONS = 100

const MAX_REPLIES = 3

/**
 * Converts buttons to native flow.
 *
 * @param field their field in the body, for errors.
 */
export function toFlowButtons(field: string, buttons: readonly Static<typeof Button>[]): FlowButton[] {
  const made = buttons.map((button, index) => toFlowButton(`${field}.${index}`, button))
  if (made.filter(({ name }) => name === 'quick_reply').length > MAX_REPLIES)
    throw gatewayError('FIELD_INVALID', [field, `at most ${MAX_REPLIES} of them can be replies`])
  return made
}

function toFlowButton(
  field: string,
  { DisplayText, Type, Id, Url, PhoneNumber }: Static<typeof Button>,
): FlowButton {
  if (Type === 'url') return flowButton.open(DisplayText, page(`${field}.Url`, Url))
  if (Type === 'call') return flowButton.call(DisplayText, number(`${field}.PhoneNumber`, PhoneNumber || Id))
  if (Type === 'copy') {
    if (!Id) throw gatewayError('FIELD_MISSING', [`${field}.Id`])
    return flowButton.copy(DisplayText, Id)
  }
  return flowButton.reply(DisplayText, Id || DisplayText)
}

function page(field: string, url: string | undefined): string {
  if (!url) throw gatewayError('FIELD_MISSING', [field])
  if (!/^https?:\/\/./i.test(url)) throw gatewayError('FIELD_INVALID', [field, 'must be an http(s) address'])
  return url
}

function number(field: string, phone: string | undefined): string {
  if (!phone) throw gatewayError('FIELD_MISSING', [field])
  const digits = phone.replace(/^\+/, '').replace(/[\s().-]/g, '')
  if (!/^\d{3,15}$/.test(digits))
    throw gatewayError('FIELD_INVALID', [field, `"${phone}" is not a phone number`])
  return `+${digits}`
}
