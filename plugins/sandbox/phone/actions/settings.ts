import { gatewayError } from 'wamux/plugin'
import { bare, el, parseJid } from '../../stanza.ts'
import type { SettingChange } from '../device/settings.ts'
import { type Action, type ActionParts, requireField } from './action.ts'
import { targetOf } from './target.ts'

type ActionHandler = (parts: ActionParts, action: Action) => Promise<Record<string, unknown>>

/** Settings of chats, contacts and labels. Each is switched on, or off with `Data: { "On": false }`. */
export const settingActions: Readonly<Record<string, ActionHandler>> = {
  pin: chatSetting('regular_low', 'pin_v1', 5, (on) => ({ pinAction: { pinned: on } })),
  archive: chatSetting('regular_low', 'archive', 3, (on) => ({
    archiveChatAction: {
      archived: on,
      messageRange: { lastMessageTimestamp: Math.floor(Date.now() / 1000) },
    },
  })),
  markChatRead: chatSetting('regular_low', 'markChatAsRead', 3, (on) => ({
    markChatAsReadAction: { read: on },
  })),
  mute: chatSetting('regular_high', 'mute', 2, (on) => ({
    muteAction: on ? { muted: true, muteEndTimestamp: -1 } : { muted: false },
  })),
  muteStatus: writeSetting(({ chatOf }, action) => ({
    collection: 'regular_high',
    index: ['userStatusMute', chatOf(requireField(action, 'Chat'))],
    action: { userStatusMuteAction: { muted: isOn(action) } },
    version: 7,
  })),
  deleteChat: writeSetting(({ chatOf }, action) => ({
    collection: 'regular_high',
    index: ['deleteChat', chatOf(requireField(action, 'Chat')), '1'],
    action: { deleteChatAction: { messageRange: { lastMessageTimestamp: Math.floor(Date.now() / 1000) } } },
    version: 6,
  })),
  contact: writeSetting(({ chatOf }, action) => ({
    collection: 'critical_unblock_low',
    index: ['contact', chatOf(requireField(action, 'Chat'))],
    ...(isOn(action) ? { action: { contactAction: { fullName: requireField(action, 'Text') } } } : {}),
    version: 2,
  })),
  label: writeSetting((_, action) => ({
    collection: 'regular',
    index: ['label_edit', labelOf(action)],
    action: { labelEditAction: { name: requireField(action, 'Text'), color: 1, deleted: !isOn(action) } },
    version: 3,
  })),
  labelChat: writeSetting(({ chatOf }, action) => ({
    collection: 'regular',
    index: ['label_jid', labelOf(action), chatOf(requireField(action, 'Chat'))],
    action: { labelAssociationAction: { labeled: isOn(action) } },
    version: 3,
  })),
  // Deleted by a value of its own: phones take no removal of it (whatsapp-rust features/quick_replies.rs).
  quickReply: writeSetting((_, action) => {
    const { Id = '', Text = '' } = action
    const { Shortcut = '', Keywords = [], Count = 0 } = action.Data ?? {}
    const value = { shortcut: Shortcut, message: Text, keywords: Keywords, count: Count, deleted: false }
    const gone = { shortcut: '', message: '', keywords: [], count: 0, deleted: true }
    return {
      collection: 'regular',
      index: ['quick_reply', Id],
      action: { quickReplyAction: isOn(action) ? value : gone },
      version: 2,
    }
  }),
  star: writeSetting((parts, action) => {
    const { id, fromMe, from, chat } = targetOf(parts, action)
    const isOthers = !fromMe && parseJid(chat)?.server === 'g.us'
    return {
      collection: 'regular_high',
      index: ['star', chat, id, fromMe ? '1' : '0', isOthers ? bare(from) : '0'],
      action: { starAction: { starred: isOn(action) } },
      version: 2,
    }
  }),
  labelMessage: writeSetting(({ chatOf }, action) => ({
    collection: 'regular',
    index: [
      'label_message',
      labelOf(action),
      chatOf(requireField(action, 'Chat')),
      requireField(action, 'Id'),
      '0',
      '0',
    ],
    action: { labelAssociationAction: { labeled: isOn(action) } },
    version: 3,
  })),
  setName,
  salt,
  renewSettingsKey,
  statusPrivacy,
  broadcastList,
}

export function nameSetting(name: string): SettingChange {
  return {
    collection: 'critical_block',
    index: ['setting_pushName'],
    action: { pushNameSetting: { name } },
    version: 1,
  }
}

/** @param salt for first-contact tokens; undefined removes it. The version of this setting is not known [?]. */
export function saltSetting(salt: Uint8Array | undefined): SettingChange {
  return {
    collection: 'regular_high',
    index: ['nct_salt_sync'],
    ...(salt ? { action: { nctSaltSyncAction: { salt } } } : {}),
    version: 1,
  }
}

/** Gives the account a new salt for first-contact tokens, or removes it with `Data.On` false. */
async function salt(
  { network, account, settings }: ActionParts,
  action: Action,
): Promise<Record<string, unknown>> {
  await settings.write(saltSetting(network.renewSalt(account, isOn(action))))
  return {}
}

/** Makes a new key of the settings, without sharing it: the companions miss it, like one whose share was lost. */
async function renewSettingsKey({ settings }: ActionParts): Promise<Record<string, unknown>> {
  settings.renewKey()
  return {}
}

async function setName({ settings, uplink }: ActionParts, action: Action): Promise<Record<string, unknown>> {
  const name = requireField(action, 'Text')
  await settings.write(nameSetting(name))
  uplink.send(el('presence', { name }))
  return {}
}

/** Sets the audience of status posts; `Text` is `contacts`, `whitelist` or `blacklist`. */
async function statusPrivacy(
  { uplink, chatOf }: ActionParts,
  action: Action,
): Promise<Record<string, unknown>> {
  const users = (action.Participants ?? []).map((who) => el('user', { jid: chatOf(who) }))
  const privacy = el('privacy', {}, [el('list', { type: requireField(action, 'Text') }, users)])
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

function writeSetting(change: (parts: ActionParts, action: Action) => SettingChange): ActionHandler {
  return async (parts, action) => {
    await parts.settings.write(change(parts, action))
    return {}
  }
}

function chatSetting(
  collection: SettingChange['collection'],
  name: string,
  version: number,
  value: (on: boolean) => Record<string, unknown>,
): ActionHandler {
  return writeSetting(({ chatOf }, action) => ({
    collection,
    index: [name, chatOf(requireField(action, 'Chat'))],
    action: value(isOn(action)),
    version,
  }))
}

function isOn(action: Action): boolean {
  return action.Data?.['On'] !== false
}

function labelOf(action: Action): string {
  const id = action.Data?.['Label']
  if (typeof id !== 'string') throw gatewayError('FIELD_MISSING', ['Data.Label'])
  return id
}
