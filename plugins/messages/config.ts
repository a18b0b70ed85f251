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
    description: 'Largest file in bytes that is downloaded',
  }),
  linkHours: T.Number({
    default: 72,
    exclusiveMinimum: 0,
    description: 'Hours of validity of a link to a file',
  }),
  publicUrl: T.String({
    default: '',
    description: 'Public base address of this gateway, used in such links and in the links of link-page',
  }),
  keepDays: T.Number({
    default: 30,
    exclusiveMinimum: 0,
    description: 'Days to keep message states and new file locations',
  }),
})

export type MessagesConfig = Static<typeof ConfigSchema>
