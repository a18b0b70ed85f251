import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  inlineBytes: T.Integer({
    default: 8 * 1024 * 1024,
    minimum: 0,
    description: 'Largest file in bytes that an event includes as base64; larger ones get a link',
  }),
  fileBytes: T.Integer({
    default: 100 * 1024 * 1024,
    minimum: 1024,
    description: 'Largest file in bytes that is downloaded at all',
  }),
  linkHours: T.Number({
    default: 72,
    exclusiveMinimum: 0,
    description: 'Hours for which a link to a file is valid',
  }),
  publicUrl: T.String({
    default: '',
    description:
      'Base address of this gateway as others reach it, used in such links and in those of link-page',
  }),
  keepDays: T.Number({
    default: 30,
    exclusiveMinimum: 0,
    description: 'Days for which message states and new file locations are kept',
  }),
})

export type MessagesConfig = Static<typeof ConfigSchema>
