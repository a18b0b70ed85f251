import { asFunction, definePlugin, gatewayError, type Kernel } from 'wamux/plugin'
import { ConfigSchema, type S3Config } from './config.ts'
import { createS3 } from './s3.ts'

const REQUIRED = ['endpoint', 'bucket', 'accessKeyId', 'secretAccessKey'] as const

/** A store of received files in a bucket of S3, or of any service with its API. */
export default definePlugin({
  name: 'media-store-s3',
  version: '0.1.0',
  api: '^1.3.0',
  config: ConfigSchema,
  services: ({ config }: Kernel<S3Config>) => {
    const missing = REQUIRED.find((key) => !config[key])
    if (missing) throw gatewayError('FIELD_MISSING', [`media-store-s3.${missing}`])
    return { store: asFunction(createS3).singleton() }
  },
  contributes: { mediaStores: ({ store }) => store },
  setup: ({ store }) => store.load(),
})
