import { T } from 'wamux/plugin'

/** Text below a file. */
export const Caption = T.Optional(T.String({ description: 'Text below it' }))

export const Duration = T.Optional(
  T.Number({ minimum: 0, description: 'Seconds; measured where it can be when absent' }),
)

/** The text itself. */
export const LongText = T.String({ minLength: 1, aliases: ['Text', 'Message'], description: 'The text' })

export const Title = T.Optional(T.String({ description: 'Line above the text' }))

export const Footer = T.Optional(T.String({ description: 'Small line below the text' }))

/** One of a few words. */
export const OneOf = <const W extends string>(words: readonly W[], description: string) =>
  T.Unsafe<W>({ type: 'string', enum: [...words], description })
