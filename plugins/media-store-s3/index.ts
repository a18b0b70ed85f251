import { asFunction, definePlugin, gatewayError } from 'wamux/plugin'
import { ConfigSchema } from './config.ts'
import { createS3 } from './s3.ts'

const REQUIRED = ['endpoint', 'bucket', 'accessKeyId', 'secretAccessKey'] as const

/** Stores received files in a bucket of Amazon S3, or of any service with its API. */
export default definePlugin({
  name: 'media-store-s3',
  version: '0.1.0',
  api: '^1.0.0',
  config: ConfigSchema,
  services: () => ({ store: asFunction(createS3).singleton() }),
  contributes: { mediaStores: ({ store }) => store },
  async setup({ config }) {
    const missing = REQUIRED.find((key) => !config[key])
    if (missing) throw gatewayError('CONFIG_INVALID', [`media-store-s3.${missing} is missing`])
  },
})
