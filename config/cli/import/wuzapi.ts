import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { commandFailed } from '../../errors.ts'
import { bareJid, type Candidate, type ImportSource } from './account.ts'
import { openForeign } from './foreign-database.ts'
import { classesOfWuzapi } from './subscriptions.ts'
import { type WhatsmeowDevice, whatsmeowDevice } from './whatsmeow.ts'

interface User {
  id: string
  name: string
  token: string
  webhook: string
  jid: string
  events: string
  proxy_url?: string | null
  s3_enabled?: boolean | number | null
}

/**
 * Users of WuzAPI: its own table, and the whatsmeow device of each.
 *
 * @param where `postgres://…`, or the folder `dbdata` with users.db and main.db.
 */
export async function wuzapi(where: string): Promise<ImportSource> {
  const isPostgres = /^postgres(ql)?:\/\//.test(where)
  if (!isPostgres && !existsSync(where)) throw commandFailed(`there is no folder ${where}`)
  const own = await openForeign(isPostgres ? where : join(where, 'users.db'))
  const store = isPostgres ? own : await openForeign(join(where, 'main.db'))
  return {
    async candidates() {
      const users = await own.rows<User>('users')
      return users.map(
        (user): Candidate => ({
          label: user.name || user.id,
          async read() {
            if (!user.jid) throw commandFailed('it is not linked: it has no JID')
            const { notes, ...device } = await whatsmeowDevice(store, await deviceOf(user))
            return {
              name: user.name,
              token: user.token,
              webhook: user.webhook,
              // Its default; whether it was set to JSON is only in its environment.
              format: 'wuzapi-form',
              subscribe: classesOfWuzapi(user.events),
              ...device,
              notes: [
                ...notes,
                ...(user.proxy_url
                  ? ['not imported: its proxy; set it with POST /session/proxy of the plugin proxy']
                  : []),
                ...(user.s3_enabled ? ['not imported: its S3 storage'] : []),
              ],
            }
          },
        }),
      )
    },
    async close() {
      await own.close()
      if (store !== own) await store.close()
    },
  }

  async function deviceOf({ jid }: User): Promise<WhatsmeowDevice> {
    const [exact] = await store.rows<WhatsmeowDevice>('whatsmeow_device', { jid })
    if (exact) return exact
    const all = await store.rows<WhatsmeowDevice>('whatsmeow_device')
    const [same, ...others] = all.filter((device) => bareJid(device.jid) === bareJid(jid))
    if (same && others.length === 0) return same
    throw commandFailed(`it is not linked: whatsmeow has no device ${jid}`)
  }
}
