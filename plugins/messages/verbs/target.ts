import { LENGTHS } from 'wamux/messaging'
import { T } from 'wamux/plugin'

/** The message that a request is about. */
export const Target = T.String({
  maxLength: LENGTHS.id,
  minLength: 1,
  format: 'id',
  aliases: ['MessageId'],
  description: 'Id of the message',
})

export const Author = (description: string) =>
  T.Optional(T.String({ maxLength: LENGTHS.id, format: 'phone', names: 'author', description }))

/** The whole request, by which a repetition is recognized; its Id is the target message. */
export function requestOf<B extends { Phone: string; Id: string }>({ Id: Target, ...body }: B) {
  return { ...body, Target }
}
