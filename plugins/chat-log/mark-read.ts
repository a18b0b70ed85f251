import { altOf } from 'wamux/messaging'
import type { Kernel, Recording, Row, Signal, Vault } from 'wamux/plugin'
import { idIndex } from './entry.ts'

type Deps = Pick<Kernel<unknown>, 'db' | 'events' | 'sessions'> & { vault: Vault }

/** Records messages marked as read by a call of this gateway: the network reports only those read on other devices. */
export async function markRead(
  { session, data }: Signal<'messages.read'>,
  { db, events, sessions, vault }: Deps,
): Promise<Recording> {
  const byChat = new Map<string, string[]>()
  for (const { id, chat } of data.read) byChat.set(chat, [...(byChat.get(chat) ?? []), id])
  const known = await sessions.byId(session)
  for (const [chat, ids] of byChat) {
    const forms = [chat, await altOf(known, chat)].filter(Boolean)
    const lanes = forms.map((jid) => events.lane(session, jid))
    const targets = ids.map((id) => idIndex(vault, session, id))
    await db.transact(async (trx) => {
      const read: Row[] = await trx(db.table('messages'))
        .where({ session })
        .whereIn('target', targets)
        .whereIn('chat', lanes)
        .groupBy('chat')
        .select('chat')
        .max({ seq: 'seq' })
      for (const { chat: lane, seq } of read)
        await trx(db.table('chats'))
          .where({ session, chat: lane })
          .where('read_seq', '<', Number(seq))
          .update({ read_seq: Number(seq) })
    })
  }
  return {}
}
