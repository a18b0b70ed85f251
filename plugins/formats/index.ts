import { definePlugin } from 'wamux/plugin'
import { evolutionFormat } from './evolution/format.ts'
import { wahaFormat } from './waha/format.ts'
import { wuzapiFormats } from './wuzapi/format.ts'

/** Webhooks in the formats of other gateways, for receivers that were written for them. */
export default definePlugin({
  name: 'formats',
  version: '0.1.0',
  api: '^1.0.0',
  needs: ['attachments', 'publicAddress'],
  contributes: {
    webhookFormats: ({ attachments, publicAddress, settings }) => [
      wahaFormat({ attachments, settings }),
      evolutionFormat({ attachments, publicAddress }),
      ...wuzapiFormats({ attachments }),
    ],
  },
})
