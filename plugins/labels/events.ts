import { phoneOf } from 'wamux/messaging'
import { type EventDeclaration, type Recording, type Sessions, type Signal, T } from 'wamux/plugin'

interface LabelChange {
  LabelID: string
  Timestamp: string
  Action: Record<string, unknown>
  FromFullSync: false
}

interface ChatLabelChange extends LabelChange {
  JID: string
  JIDAlt: string
}

declare module 'wamux/plugin' {
  interface GatewayEvents {
    LabelEdit: { event: LabelChange }
    LabelAssociationChat: { event: ChatLabelChange }
    LabelAssociationMessage: { event: ChatLabelChange & { MessageID: string } }
  }
}

const fields = {
  LabelID: T.String(),
  Timestamp: T.String({ format: 'date-time' }),
  Action: T.Object({}, { additionalProperties: true }),
  FromFullSync: T.Boolean(),
}
const chat = {
  JID: T.String({ description: 'The chat; can be used as Phone' }),
  JIDAlt: T.String({ description: 'The phone JID of a LID; empty when unknown' }),
}

/** Changes by any device of the account, including this one. */
export const events = {
  LabelEdit: {
    class: 'All',
    summary: 'A label was created, changed or deleted',
    schema: T.Object(fields),
  },
  LabelAssociationChat: {
    class: 'All',
    summary: 'A label was added to a chat or removed from it',
    schema: T.Object({ ...fields, ...chat }),
  },
  LabelAssociationMessage: {
    class: 'All',
    summary: 'A label was added to a message or removed from it',
    schema: T.Object({ ...fields, ...chat, MessageID: T.String() }),
  },
} satisfies Record<string, EventDeclaration>

const TYPES = {
  label_edit: 'LabelEdit',
  label_jid: 'LabelAssociationChat',
  label_message: 'LabelAssociationMessage',
} as const

export async function ofSetting(
  { session, data }: Signal<'setting'>,
  { sessions }: { sessions: Sessions },
): Promise<Recording | undefined> {
  const { index, version, time, action, isOld } = data
  const [name = '', label = '', jid = '', message = ''] = index
  if (isOld || !Object.hasOwn(TYPES, name)) return undefined
  const type = TYPES[name as keyof typeof TYPES]
  const made = { LabelID: label, Timestamp: time, FromFullSync: false as const }
  const key = `${version} ${time} ${index.join(' ')}`
  if (type === 'LabelEdit') {
    const { predefinedId, ...edit } = action.labelEditAction ?? {}
    const Action = { ...edit, ...(predefinedId === undefined ? {} : { predefinedID: predefinedId }) }
    return { events: [{ type, key, time, body: { event: { ...made, Action } } }] }
  }
  const event = {
    ...made,
    JID: jid,
    JIDAlt: await phoneOf(await sessions.byId(session), jid),
    Action: { ...action.labelAssociationAction },
    ...(type === 'LabelAssociationMessage' ? { MessageID: message } : {}),
  }
  return { events: [{ type, key, chat: jid, time, body: { event } }] }
}
