import { phoneOf } from 'wamux/messaging'
import type { Recording, Sessions, Signal } from 'wamux/plugin'

/** A star that a device of the account, this one included, has set or removed. */
export async function ofStar(
  { session, data }: Signal<'setting'>,
  { sessions }: { sessions: Sessions },
): Promise<Recording | undefined> {
  const { index, version, time, action, isOld } = data
  const [name, chat = '', id = '', isOwn, author = '0'] = index
  const { starred } = action.starAction ?? {}
  if (isOld || name !== 'star' || typeof starred !== 'boolean') return undefined
  const event = {
    ChatJID: chat,
    ChatJIDAlt: await phoneOf(await sessions.byId(session), chat),
    SenderJID: author === '0' ? '' : author,
    IsFromMe: isOwn === '1',
    MessageID: id,
    Timestamp: time,
    Action: { starred },
    FromFullSync: false as const,
  }
  const key = `${version} ${time} ${index.join(' ')}`
  return { events: [{ type: 'Star', key, chat, time, body: { event } }] }
}
