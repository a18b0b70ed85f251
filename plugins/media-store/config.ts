import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  store: T.String({
    default: 'folder',
    description: 'Where files are stored: folder, or the name of a store of another plugin, such as s3',
  }),
  folder: T.String({
    default: '',
    description: 'Folder of the store folder; media in the data folder when empty',
  }),
  inline: T.Boolean({
    default: false,
    description: 'Keep small files as base64 in webhooks instead of a link',
  }),
  linkHours: T.Number({
    default: 72,
    exclusiveMinimum: 0,
    description: 'Hours for which the link in an event is valid',
  }),
  keepDays: T.Number({
    default: 30,
    exclusiveMinimum: 0,
    description: 'Days after which a stored file is deleted',
  }),
  pruneSeconds: T.Number({
    default: 3_600,
    exclusiveMinimum: 0,
    description: 'Seconds between deletions of such files, and of those of deleted sessions',
  }),
})

export type MediaStoreConfig = Static<typeof ConfigSchema>
