import { type EventDeclaration, type Recording, type Signal, T } from 'wamux/plugin'
import type { QuickReplies } from './quick-replies.ts'

interface QuickReplyChange {
  ID: string
  Timestamp: string
  Action: Record<string, unknown>
  FromFullSync: false
}

declare module 'wamux/plugin' {
  interface GatewayEvents {
    QuickReply: { event: QuickReplyChange }
  }
}

export const events = {
  QuickReply: {
    class: 'All',
    summary: 'A quick reply was saved or deleted, by any device of the account',
    schema: T.Object({
      ID: T.String(),
      Timestamp: T.String({ format: 'date-time' }),
      Action: T.Object({}, { additionalProperties: true, description: 'shortcut, message … or deleted' }),
      FromFullSync: T.Boolean(),
    }),
  },
} satisfies Record<string, EventDeclaration>

interface Deps {
  quickReplies: QuickReplies
}

/** A quick reply is deleted by a value of its own: apps take no removal of it. */
export function ofSetting(
  { session, data }: Signal<'setting'>,
  { quickReplies }: Deps,
): Recording | undefined {
  const { index, operation, version, time, action, isOld } = data
  const [name, id = ''] = index
  if (name !== 'quick_reply' || operation !== 'set' || !action.quickReplyAction) return undefined
  const { shortcut, message, keywords, count, deleted } = action.quickReplyAction
  const Action = {
    shortcut: shortcut ?? '',
    message: message ?? '',
    keywords: keywords ?? [],
    count: count ?? 0,
    deleted: deleted ?? false,
  }
  const reply = {
    ID: id,
    Shortcut: Action.shortcut,
    Message: Action.message,
    Keywords: Action.keywords,
    Count: Action.count,
  }
  const writes = [Action.deleted ? quickReplies.remove(session, id) : quickReplies.record(session, reply)]
  if (isOld) return { writes }
  const event = { ID: id, Timestamp: time, Action, FromFullSync: false as const }
  const key = `${version} ${time} ${index.join(' ')}`
  return { events: [{ type: 'QuickReply', key, time, body: { event } }], writes }
}

/** A new link reads everything that its account has, which may be another one than before. */
export function ofNewLink({ session }: Signal<'session.paired'>, { quickReplies }: Deps): Recording {
  return { writes: [quickReplies.forget(session)] }
}
