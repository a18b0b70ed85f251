import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  inlineBytes: T.Integer({
    default: 8 * 1024 * 1024,
    minimum: 0,
    description: 'Bytes of the largest file that an event carries as base64; larger ones get a link',
  }),
  fileBytes: T.Integer({
    default: 100 * 1024 * 1024,
    minimum: 1024,
    description: 'Bytes of the largest file that is fetched at all',
  }),
  linkHours: T.Number({ default: 72, exclusiveMinimum: 0, description: 'Hours that a link to a file holds' }),
  publicUrl: T.String({
    default: '',
    description: 'Address of this gateway as receivers reach it, put before such links',
  }),
  keepDays: T.Number({
    default: 30,
    exclusiveMinimum: 0,
    description: 'Days that states of messages, keys of polls and new places of files are kept',
  }),
})

export type MessagesConfig = Static<typeof ConfigSchema>
