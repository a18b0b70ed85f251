import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  endpoint: T.String({
    default: '',
    description: 'Address of the service, for example https://s3.eu-central-1.amazonaws.com; required',
  }),
  region: T.String({ default: 'us-east-1', description: 'Region for which requests are signed' }),
  bucket: T.String({ default: '', description: 'Bucket, which must exist; required' }),
  accessKeyId: T.String({ default: '', description: 'Id of the access key; required' }),
  secretAccessKey: T.String({ default: '', description: 'Its secret; required' }),
  prefix: T.String({
    default: 'wamux/',
    pattern: '^([\\w./-]+/)?$',
    description: 'Prefix of the keys of all objects',
  }),
  encryption: T.Enum(['wamux', 'AES256', 'aws:kms', 'none'], {
    default: 'wamux',
    description:
      'Who encrypts: wamux before the upload, the service (AES256, aws:kms), or nobody (none). Unless it is wamux, links lead to the bucket',
  }),
  partBytes: T.Integer({
    default: 8 * 1024 * 1024,
    minimum: 5 * 1024 * 1024,
    description: 'Size of a part in bytes; larger files are uploaded part by part',
  }),
  timeoutMs: T.Integer({
    default: 30_000,
    minimum: 100,
    description: 'Milliseconds within which the service must answer a request',
  }),
})

export type S3Config = Static<typeof ConfigSchema>
