import type { PluginDb, RouteCall, Row, Vault } from 'wamux/plugin'
import { idIndex } from './index-of.ts'

/** A chat is read up to the messages that a call of this gateway marks: the network reports only what other devices read. */
export async function markRead(
  call: RouteCall,
  next: () => Promise<unknown>,
  { db, vault }: { db: PluginDb; vault: Vault },
): Promise<unknown> {
  const answer = await next()
  if (call.route.path !== '/message/markread') return answer
  const skipped = (answer as { Skipped?: { Id: string }[] }).Skipped ?? []
  const ids = idsIn(call.body).filter((id) => !skipped.some(({ Id }) => Id === id))
  const { session } = call
  const targets = ids.map((id) => idIndex(vault, session, id))
  await db.transact(async (trx) => {
    const read: Row[] = await trx(db.table('messages'))
      .where({ session })
      .whereIn('target', targets)
      .groupBy('chat')
      .select('chat')
      .max({ seq: 'seq' })
    for (const { chat, seq } of read)
      await trx(db.table('chats'))
        .where({ session, chat })
        .where('read_seq', '<', Number(seq))
        .update({ read_seq: Number(seq) })
  })
  return answer
}

/** The body is as the client wrote it: field names in any case, an id or a list. */
function idsIn(body: unknown): string[] {
  const found = Object.entries(body ?? {}).find(([name]) => /^(id|messageid)$/i.test(name))?.[1]
  return [found].flat().filter((id) => typeof id === 'string')
}
