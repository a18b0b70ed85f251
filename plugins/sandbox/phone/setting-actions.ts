import { gatewayError } from 'wamux/plugin'
import { el } from '../stanza.ts'
import { type Action, type ActionParts, need } from './action.ts'
import type { Change } from './settings.ts'

type Do = (parts: ActionParts, action: Action) => Promise<Record<string, unknown>>

/** What a person changes in the settings of chats, contacts and labels. On unless `Data` says `{ "On": false }`. */
export const settingActions: Readonly<Record<string, Do>> = {
  pin: ofChat('regular_low', 'pin_v1', 5, (on) => ({ pinAction: { pinned: on } })),
  archive: ofChat('regular_low', 'archive', 3, (on) => ({
    archiveChatAction: {
      archived: on,
      messageRange: { lastMessageTimestamp: Math.floor(Date.now() / 1000) },
    },
  })),
  markChatRead: ofChat('regular_low', 'markChatAsRead', 3, (on) => ({ markChatAsReadAction: { read: on } })),
  mute: ofChat('regular_high', 'mute', 2, (on) => ({
    muteAction: on ? { muted: true, muteEndTimestamp: -1 } : { muted: false },
  })),
  deleteChat: write(({ chatOf }, action) => ({
    collection: 'regular_high',
    index: ['deleteChat', chatOf(need(action, 'Chat')), '1'],
    action: { deleteChatAction: { messageRange: { lastMessageTimestamp: Math.floor(Date.now() / 1000) } } },
    version: 6,
  })),
  contact: write(({ chatOf }, action) => ({
    collection: 'critical_unblock_low',
    index: ['contact', chatOf(need(action, 'Chat'))],
    ...(isOn(action) ? { action: { contactAction: { fullName: need(action, 'Text') } } } : {}),
    version: 2,
  })),
  label: write((_, action) => ({
    collection: 'regular',
    index: ['label_edit', label(action)],
    action: { labelEditAction: { name: need(action, 'Text'), color: 1, deleted: !isOn(action) } },
    version: 3,
  })),
  labelChat: write(({ chatOf }, action) => ({
    collection: 'regular',
    index: ['label_jid', label(action), chatOf(need(action, 'Chat'))],
    action: { labelAssociationAction: { labeled: isOn(action) } },
    version: 3,
  })),
  labelMessage: write(({ chatOf }, action) => ({
    collection: 'regular',
    index: ['label_message', label(action), chatOf(need(action, 'Chat')), need(action, 'Id'), '0', '0'],
    action: { labelAssociationAction: { labeled: isOn(action) } },
    version: 3,
  })),
  setName,
  statusPrivacy,
  broadcastList,
}

export function nameSetting(name: string): Change {
  return {
    collection: 'critical_block',
    index: ['setting_pushName'],
    action: { pushNameSetting: { name } },
    version: 1,
  }
}

async function setName({ settings, uplink }: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const name = need(action, 'Text')
  await settings.write(nameSetting(name))
  uplink.send(el('presence', { name }))
  return {}
}

/** Who gets status posts: `Text` is contacts, whitelist or blacklist. */
async function statusPrivacy(
  { uplink, chatOf }: ActionParts,
  action: Action,
): Promise<Record<string, unknown>> {
  const users = (action.Participants ?? []).map((who) => el('user', { jid: chatOf(who) }))
  const privacy = el('privacy', {}, [el('list', { type: need(action, 'Text') }, users)])
  await uplink.query(el('iq', { xmlns: 'status', type: 'set', to: 's.whatsapp.net' }, [privacy]))
  return {}
}

async function broadcastList(
  { broadcasts, chatOf }: ActionParts,
  action: Action,
): Promise<Record<string, unknown>> {
  const jid = `${Date.now()}@broadcast`
  broadcasts.set(jid, (action.Participants ?? []).map(chatOf))
  return { JID: jid }
}

function write(change: (parts: ActionParts, action: Action) => Change): Do {
  return async (parts, action) => {
    await parts.settings.write(change(parts, action))
    return {}
  }
}

function ofChat(
  collection: Change['collection'],
  name: string,
  version: number,
  value: (on: boolean) => Record<string, unknown>,
): Do {
  return write(({ chatOf }, action) => ({
    collection,
    index: [name, chatOf(need(action, 'Chat'))],
    action: value(isOn(action)),
    version,
  }))
}

function isOn(action: Action): boolean {
  return action.Data?.['On'] !== false
}

function label(action: Action): string {
  const id = action.Data?.['Label']
  if (typeof id !== 'string') throw gatewayError('FIELD_MISSING', ['Data.Label'])
  return id
}
