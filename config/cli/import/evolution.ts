import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { commandFailed } from '../../errors.ts'
import { type Candidate, type ImportedAccount, type ImportSource, linkedCreds } from './account.ts'
import { readFolder } from './baileys-folder.ts'
import { type ForeignDatabase, openForeign } from './foreign-database.ts'
import { collectKeys } from './key-names.ts'
import { openRedis, type Redis } from './redis.ts'
import { classesOfEvolution, eventsOfEvolution } from './subscriptions.ts'

interface Instance {
  id: string
  name: string
  integration: string | null
  token: string | null
}

interface Webhook {
  url: string
  enabled: boolean | null
  events: unknown
}

/**
 * Instances of Evolution API v2 on PostgreSQL. Their credentials are in the table `Session`; the Signal keys are in Redis,
 * or in files if Redis is disabled.
 *
 * @param keys `redis://…`, or the folder `instances`.
 */
export async function evolution(databaseUrl: string, keys: string): Promise<ImportSource> {
  const isRedis = /^rediss?:\/\//.test(keys)
  if (!isRedis && !existsSync(keys)) throw commandFailed(`there is no folder ${keys}`)
  const database = await openForeign(databaseUrl)
  const redis = isRedis ? await openRedis(keys) : undefined
  return {
    async candidates() {
      const instances = await database.rows<Instance>('Instance')
      return instances.map((instance): Candidate => {
        const { name, integration } = instance
        return {
          label: name,
          async read() {
            if (integration && integration !== 'WHATSAPP-BAILEYS')
              throw commandFailed(`its integration ${integration} has no linked device`)
            return {
              name,
              token: instance.token ?? undefined,
              ...(await webhookOf(database, instance)),
              ...(await deviceOf(instance)),
            }
          },
        }
      })
    },
    async close() {
      await redis?.close()
      await database.close()
    },
  }

  async function deviceOf({ id }: Instance): Promise<Pick<ImportedAccount, 'creds' | 'keys' | 'notes'>> {
    const [session] = await database.rows<{ creds: string | null }>('Session', { sessionId: id })
    const stored = session?.creds ? unwrapped(session.creds) : undefined
    if (redis) return inRedis(redis, id, stored)
    if (!stored) throw commandFailed('it is not linked: it has no credentials')
    const folder = join(keys, id)
    if (!existsSync(folder)) throw commandFailed(`its Signal keys are not in ${folder}`)
    return readFolder(folder, stored)
  }
}

async function inRedis(
  redis: Redis,
  id: string,
  stored: string | undefined,
): Promise<Pick<ImportedAccount, 'creds' | 'keys' | 'notes'>> {
  // The prefix is configured there; "instance" is the module.
  const [place] = await redis.keys(`*:instance:${id}`)
  const { creds, ...fields } = place ? await redis.hash(place) : {}
  const json = stored ?? creds
  if (!json) throw commandFailed('it is not linked: it has no credentials')
  if (!place) throw commandFailed('its Signal keys are not in this Redis')
  const { keys, unknown } = collectKeys(Object.entries(fields))
  const notes =
    unknown.length > 0 ? [`not imported: ${unknown.length} fields, for example ${unknown[0]}`] : []
  return { creds: linkedCreds(JSON.parse(json)), keys, notes }
}

/** The text is doubly encoded JSON. */
function unwrapped(text: string): string {
  const value: unknown = JSON.parse(text)
  return typeof value === 'string' ? value : text
}

async function webhookOf(
  database: ForeignDatabase,
  { id }: Instance,
): Promise<Pick<ImportedAccount, 'webhook' | 'format' | 'events' | 'subscribe'>> {
  const [found] = await database.rows<Webhook>('Webhook', { instanceId: id })
  if (!found?.url || found.enabled === false) return { webhook: '', subscribe: ['All'] }
  return {
    webhook: found.url,
    format: 'evolution',
    events: eventsOfEvolution(found.events),
    subscribe: classesOfEvolution(found.events),
  }
}
