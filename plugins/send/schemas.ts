import { LENGTHS, MAX_INTEGER } from 'wamux/messaging'
import { T } from 'wamux/plugin'

/** Text below a file. */
export const Caption = T.Optional(T.String({ maxLength: LENGTHS.text, description: 'Text below the file' }))

export const ViewOnce = T.Optional(
  T.Boolean({
    description:
      'Whether the recipient may open it only once, on the phone: companions, this one included, get no content of such messages',
  }),
)

export const Duration = T.Optional(
  T.Number({
    minimum: 0,
    maximum: MAX_INTEGER,
    description: 'Seconds; measured if possible when absent or 0',
  }),
)

/** The text itself. */
export const LongText = T.String({
  minLength: 1,
  maxLength: LENGTHS.text,
  aliases: ['Text', 'Message'],
  description: 'The text',
})

export const Title = T.Optional(T.String({ maxLength: LENGTHS.line, description: 'Line above the text' }))

export const Footer = T.Optional(
  T.String({ maxLength: LENGTHS.line, description: 'Small text below the message' }),
)

/** The size is checked when the picture is decoded (plugin media). */
export const Thumbnail = T.Optional(
  T.String({
    format: 'file',
    description: 'Preview picture of at most 256 KiB: data URL, base64 or http(s) link',
  }),
)

/** A string enumeration. */
export const OneOf = <const W extends string>(words: readonly W[], description: string) =>
  T.Unsafe<W>({ type: 'string', enum: [...words], description })
