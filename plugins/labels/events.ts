import { altOf, phoneOf } from 'wamux/messaging'
import {
  type EventDeclaration,
  type Recording,
  type Sessions,
  type Signal,
  T,
  type Write,
} from 'wamux/plugin'
import type { LabelStore } from './label-store.ts'

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

interface Deps {
  sessions: Sessions
  labelStore: LabelStore
}

/** Labels are deleted and taken off by values of their own: apps take no removal of them. */
export async function ofSetting(
  { session, data }: Signal<'setting'>,
  deps: Deps,
): Promise<Recording | undefined> {
  const { index, version, time, isOld, operation } = data
  const [name = '', label = '', jid = '', message = ''] = index
  if (operation !== 'set' || !Object.hasOwn(TYPES, name)) return undefined
  const type = TYPES[name as keyof typeof TYPES]
  const writes =
    type === 'LabelEdit' ? writesOfEdit(session, data, deps) : await writesOfUse(session, data, deps)
  if (isOld) return { writes }
  const made = { LabelID: label, Timestamp: time, FromFullSync: false as const }
  const key = `${version} ${time} ${index.join(' ')}`
  if (type === 'LabelEdit') {
    const { predefinedId, ...edit } = data.action.labelEditAction ?? {}
    const Action = { ...edit, ...(predefinedId === undefined ? {} : { predefinedID: predefinedId }) }
    return { events: [{ type, key, time, body: { event: { ...made, Action } } }], writes }
  }
  const event = {
    ...made,
    JID: jid,
    JIDAlt: await phoneOf(await deps.sessions.byId(session), jid),
    Action: { ...data.action.labelAssociationAction },
    ...(type === 'LabelAssociationMessage' ? { MessageID: message } : {}),
  }
  return { events: [{ type, key, chat: jid, time, body: { event } }], writes }
}

/** A new link reads everything that its account has, which may be another one than before. */
export function ofNewLink({ session }: Signal<'session.paired'>, { labelStore }: Deps): Recording {
  return { writes: labelStore.forget(session) }
}

type Setting = Signal<'setting'>['data']

function writesOfEdit(session: string, { index, action, isOld }: Setting, { labelStore }: Deps): Write[] {
  const [, ID = ''] = index
  const { name, color, deleted } = action.labelEditAction ?? {}
  if (deleted) return labelStore.remove(session, ID, !isOld)
  return [labelStore.save(session, { ID, Name: name ?? '', Color: color ?? 0 })]
}

async function writesOfUse(
  session: string,
  { index, action }: Setting,
  { labelStore, sessions }: Deps,
): Promise<Write[]> {
  const [name, label = '', chat = '', message = ''] = index
  if (!chat || (name === 'label_message') !== Boolean(message)) return []
  const alt = await altOf(await sessions.byId(session), chat)
  const change = action.labelAssociationAction?.labeled ? labelStore.put : labelStore.takeOff
  return change(session, { label, chat, message }, alt)
}
