import { commandFailed } from '../../errors.ts'
import { type Candidate, type ImportSource, linkedCreds } from './account.ts'
import { collectKeys } from './key-names.ts'
import { openRedis } from './redis.ts'

const PREFIX = '@baileys-api:connections:'
const SUFFIX = ':authState'

/**
 * Connections of fazer-ai's baileys-api: one Redis hash per phone number, with the credentials, the keys and the client's
 * connection options.
 */
export async function fazerAi(url: string): Promise<ImportSource> {
  const redis = await openRedis(url)
  return {
    async candidates() {
      const places = await redis.keys(`${PREFIX}*${SUFFIX}`)
      return places.map((place): Candidate => {
        const label = place.slice(PREFIX.length, -SUFFIX.length)
        return {
          label,
          async read() {
            const { creds, metadata, 'import-candidates': unfinished, ...fields } = await redis.hash(place)
            if (!creds) throw commandFailed('it is not linked: it has no credentials')
            if (unfinished) throw commandFailed('its own import from WhatsApp Web is not finished there')
            const { keys, unknown } = collectKeys(Object.entries(fields))
            const { webhookUrl = '' } = JSON.parse(metadata ?? '{}') as { webhookUrl?: string }
            return {
              name: label,
              webhook: webhookUrl,
              subscribe: ['All'],
              creds: linkedCreds(JSON.parse(creds)),
              keys,
              notes: [
                ...(webhookUrl
                  ? ['not imported: the verify token of its webhook; deliveries are signed here']
                  : []),
                ...(unknown.length > 0
                  ? [`not imported: ${unknown.length} fields, for example ${unknown[0]}`]
                  : []),
              ],
            }
          },
        }
      })
    },
    close: () => redis.close(),
  }
}
