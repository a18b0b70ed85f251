import type { proto, WAMessage } from '@whiskeysockets/baileys'
import { phoneOf } from 'wamux/messaging'
import { type EventDeclaration, type Recording, type Sessions, type Signal, T } from 'wamux/plugin'

interface ChatChange {
  JID: string
  JIDAlt: string
  Timestamp: string
  Action: Record<string, unknown>
  FromFullSync: false
}

interface TimerChange {
  JID: string
  JIDAlt: string
  Timestamp: string
  Timer: number
  Sender: string
  IsFromMe: boolean
}

interface KeptMessage {
  JID: string
  JIDAlt: string
  Timestamp: string
  MessageID: string
  Keep: boolean
  Sender: string
  IsFromMe: boolean
}

declare module 'wamux/plugin' {
  interface GatewayEvents {
    Pin: { event: ChatChange }
    Archive: { event: ChatChange }
    Mute: { event: ChatChange }
    MarkChatAsRead: { event: ChatChange }
    DeleteChat: { event: ChatChange & { DeleteMedia: boolean } }
    DisappearingTimer: { event: TimerChange }
    KeepInChat: { event: KeptMessage }
  }
}

const chat = {
  JID: T.String({ description: 'The chat; can be used as Phone' }),
  JIDAlt: T.String({ description: 'The phone JID of a LID; empty when unknown' }),
  Timestamp: T.String({ format: 'date-time' }),
}
const by = {
  Sender: T.String({ description: 'JID of the person who did it; empty for this account' }),
  IsFromMe: T.Boolean(),
}
const fields = {
  ...chat,
  Action: T.Object({}, { additionalProperties: true }),
  FromFullSync: T.Boolean(),
}
const declare = (summary: string): EventDeclaration => ({ class: 'All', summary, schema: T.Object(fields) })

/** Changes by any device of the account, including this one. */
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
  DisappearingTimer: {
    class: 'All',
    summary: 'The disappearing timer of a chat was changed, by either side or any member',
    schema: T.Object({
      ...chat,
      Timer: T.Integer({ description: 'Seconds after which new messages disappear; 0 for never' }),
      ...by,
    }),
  },
  KeepInChat: {
    class: 'All',
    summary: 'A disappearing message was kept for all, or is no longer kept',
    schema: T.Object({ ...chat, MessageID: T.String(), Keep: T.Boolean(), ...by }),
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

export async function ofTimer(
  { session, data }: Signal<'chat.timer'>,
  { sessions }: { sessions: Sessions },
): Promise<Recording> {
  const { chat: JID, seconds: Timer, time: Timestamp, sender: Sender, fromMe: IsFromMe } = data
  const JIDAlt = await phoneOf(await sessions.byId(session), JID)
  const event = { JID, JIDAlt, Timestamp, Timer, Sender, IsFromMe }
  const key = `${JID} ${Timestamp} ${Timer}`
  return { events: [{ type: 'DisappearingTimer', key, chat: JID, time: Timestamp, body: { event } }] }
}

/** `KeepType.KEEP_FOR_ALL` */
const KEEP_FOR_ALL: proto.KeepType.KEEP_FOR_ALL = 1

/** A message that keeps another one, received or sent. */
export async function ofKeep(
  { session, message: whole }: { session: string; message: WAMessage },
  { sessions }: { sessions: Sessions },
): Promise<Recording | undefined> {
  const { key, message, messageTimestamp } = whole
  const { key: target, keepType } = message?.keepInChatMessage ?? {}
  if (!target?.id) return undefined
  const JID = key.remoteJid ?? ''
  const IsFromMe = key.fromMe === true
  const event = {
    JID,
    JIDAlt: await phoneOf(await sessions.byId(session), JID),
    Timestamp: new Date(Number(messageTimestamp ?? 0) * 1000).toISOString(),
    MessageID: target.id,
    Keep: keepType === KEEP_FOR_ALL,
    Sender: IsFromMe ? '' : (key.participant ?? JID),
    IsFromMe,
  }
  const { Timestamp: time } = event
  return { events: [{ type: 'KeepInChat', key: `${JID} ${key.id}`, chat: JID, time, body: { event } }] }
}

type Ranged = { messageRange?: proto.SyncActionValue.ISyncActionMessageRange | null }

/** Message keys in the casing that receivers expect: `remoteJID`, `ID`. */
function inFamilyCasing({ messageRange, ...action }: Ranged & object): Record<string, unknown> {
  if (!messageRange) return { ...action }
  const messages = (messageRange.messages ?? []).map(({ key, timestamp }) => ({
    key: { remoteJID: key?.remoteJid, fromMe: key?.fromMe, ID: key?.id, participant: key?.participant },
    timestamp,
  }))
  return { ...action, messageRange: { ...messageRange, messages } }
}
