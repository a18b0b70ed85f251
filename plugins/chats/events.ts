import type { proto } from '@whiskeysockets/baileys'
import { phoneOf } from 'wamux/messaging'
import { type EventDeclaration, type Recording, type Sessions, type Signal, T } from 'wamux/plugin'

interface ChatChange {
  JID: string
  JIDAlt: string
  Timestamp: string
  Action: Record<string, unknown>
  FromFullSync: false
}

declare module 'wamux/plugin' {
  interface GatewayEvents {
    Pin: { event: ChatChange }
    Archive: { event: ChatChange }
    Mute: { event: ChatChange }
    MarkChatAsRead: { event: ChatChange }
    DeleteChat: { event: ChatChange & { DeleteMedia: boolean } }
  }
}

const fields = {
  JID: T.String({ description: 'The chat; can be used as Phone' }),
  JIDAlt: T.String({ description: 'The phone JID of a LID; empty when unknown' }),
  Timestamp: T.String({ format: 'date-time' }),
  Action: T.Object({}, { additionalProperties: true }),
  FromFullSync: T.Boolean(),
}
const declare = (summary: string): EventDeclaration => ({ class: 'All', summary, schema: T.Object(fields) })

/** Changes by any device of the account, this one included. */
export const events = {
  Pin: declare('A chat was pinned or unpinned'),
  Archive: declare('A chat was archived or unarchived'),
  Mute: declare('A chat was muted or unmuted'),
  MarkChatAsRead: declare('A chat was marked as read or unread'),
  DeleteChat: {
    class: 'All',
    summary: 'A chat was deleted',
    schema: T.Object({ ...fields, DeleteMedia: T.Boolean() }),
  },
} satisfies Record<string, EventDeclaration>

const KINDS = {
  pin_v1: ['Pin', 'pinAction'],
  archive: ['Archive', 'archiveChatAction'],
  mute: ['Mute', 'muteAction'],
  markChatAsRead: ['MarkChatAsRead', 'markChatAsReadAction'],
  deleteChat: ['DeleteChat', 'deleteChatAction'],
} as const

export async function ofSetting(
  { session, data }: Signal<'setting'>,
  { sessions }: { sessions: Sessions },
): Promise<Recording | undefined> {
  const { index, version, time, action, isOld, operation } = data
  const [name = '', chat = '', media] = index
  if (isOld || operation === 'remove' || !Object.hasOwn(KINDS, name)) return undefined
  const [type, part] = KINDS[name as keyof typeof KINDS]
  const event = {
    JID: chat,
    JIDAlt: await phoneOf(await sessions.byId(session), chat),
    Timestamp: time,
    Action: inFamilyCasing(action[part] ?? {}),
    FromFullSync: false,
    ...(type === 'DeleteChat' ? { DeleteMedia: media === '1' } : {}),
  }
  return { events: [{ type, key: `${version} ${time} ${index.join(' ')}`, chat, time, body: { event } }] }
}

type Ranged = { messageRange?: proto.SyncActionValue.ISyncActionMessageRange | null }

/** Message keys in the casing that receivers of this family parse: `remoteJID`, `ID`. */
function inFamilyCasing({ messageRange, ...action }: Ranged & object): Record<string, unknown> {
  if (!messageRange) return { ...action }
  const messages = (messageRange.messages ?? []).map(({ key, timestamp }) => ({
    key: { remoteJID: key?.remoteJid, fromMe: key?.fromMe, ID: key?.id, participant: key?.participant },
    timestamp,
  }))
  return { ...action, messageRange: { ...messageRange, messages } }
}
