import type { GatewayServices, Kernel, Row } from 'wamux/plugin'
import type { CloudConfig } from '../config.ts'
import { ENDPOINT } from './callbacks.ts'
import { FORMAT } from './format.ts'

interface Deps extends Kernel<CloudConfig>, Pick<GatewayServices, 'webhooks'> {}

/**
 * Converts the webhooks that earlier versions delivered themselves to endpoints, with their pending bodies and the unread
 * part of the log. The rows stay; `handled` is null once a row is converted.
 */
export async function adoptHooks({ db, vault, events, sessions, webhooks, log }: Deps): Promise<void> {
  const rows: Row[] = await db.read<Row>(db.table('hooks')).whereNotNull('handled')
  for (const { session: id, hook: sealed, handled } of rows) {
    const session = await sessions.byId(String(id))
    if (!session) continue
    const text = vault.open(session.id, 'cloud_api_hooks/hook', sealed as Buffer).toString()
    const { url, secret } = JSON.parse(text) as { url: string; secret: string }
    const stored: Row[] = await db
      .read<Row>(db.table('backlog'))
      .where({ session: session.id })
      .select('seq', 'part', 'dead')
    const bodies = stored.map(({ seq, part, dead }) => ({
      ...{ seq: Number(seq), part: Number(part) },
      isDead: Boolean(dead),
    }))
    const seqs = [...new Set(bodies.map(({ seq }) => seq))]
    const missing = seqs.length - (await events.lines(seqs)).length
    const facts = { session: session.id, events: seqs.length, missing }
    if (missing > 0) log.warn(facts, 'bodies of events that the log has dropped stay in cloud_api_backlog')
    await webhooks.adopt(
      session,
      ENDPOINT,
      { url, secret, format: FORMAT },
      { bodies, handled: Number(handled) },
    )
    const done = db.update('hooks', ['session'], [{ session: session.id, handled: null }])
    await db.write([done], { isFromAnyNode: true })
    log.info(facts, 'webhook taken over by the plugin webhook')
  }
}
