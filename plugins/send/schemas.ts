import { T } from 'wamux/plugin'
import { ContextInfo } from './context.ts'

export const Phone = T.String({
  minLength: 1,
  format: 'phone',
  aliases: ['Number', 'Chat', 'Jid'],
  description: 'Phone number with country code, or the JID of a person, group or newsletter',
  examples: ['5511999999999'],
})

/** Fields that every send takes. */
export const common = {
  Phone,
  Id: T.Optional(
    T.String({
      format: 'id',
      aliases: ['MessageId'],
      pattern: '^[\\x21-\\x7e]{1,64}$',
      description: 'Message id of your own: the same one is never sent twice',
    }),
  ),
  ContextInfo: T.Optional(ContextInfo),
  QuotedText: T.Optional(
    T.String({ description: 'Text of the quoted message, where it is not stored here' }),
  ),
}

export const Sent = T.Object({
  Details: T.String(),
  Id: T.String({ description: 'Message id' }),
  Timestamp: T.String({ description: 'When the network took it, RFC 3339' }),
  Chat: T.String({ description: 'The chat that it went to' }),
})

/** A file: data URL or base64. */
export const file = (description: string) =>
  T.String({ minLength: 1, description: `${description}: data URL or base64` })

export const Caption = T.Optional(T.String({ description: 'Text below it' }))
