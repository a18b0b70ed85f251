import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../support/eventually.ts'
import type { ChatSetting } from '../protocol.ts'
import type { Area } from './area.ts'

/** The action in the phone's app state for each setting of a chat. */
const ACTIONS: Readonly<Record<ChatSetting, [name: string, field: string]>> = {
  archive: ['archiveChatAction', 'archived'],
  mute: ['muteAction', 'muted'],
  pin: ['pinAction', 'pinned'],
}
const SETTINGS: readonly ChatSetting[] = ['mute', 'pin', 'archive']

export const appState: Area = {
  name: 'app state: archive, mute, pin',
  async run({ loose, own, companion }) {
    const other = await loose.phones.create({ name: 'Chat' })
    const chat = other.account.lid
    const sent = await other.send(own.account.phone, { Text: 'a chat to set' })
    await companion.until('message', 'a chat to set', (event) => event.id === sent)
    for (const setting of SETTINGS) {
      await companion.setChat(chat, setting)
      await eventually(() => isSet(own, chat, setting), `${setting} on the phone`, {
        progress: () => settingsOf(own),
      })
    }
    const { SettingsFaults } = own.view() as { SettingsFaults: string[] }
    if (SettingsFaults.length > 0) throw new Error(`the phone could not verify ${SettingsFaults.join('; ')}`)
    const another = await loose.phones.create({ name: 'Another chat' })
    for (const setting of SETTINGS) {
      await own.act({ Action: setting, Chat: another.account.phone })
      await companion.until(
        'setting',
        `${setting} reported`,
        (event) => event.setting === setting && event.on && event.chat === another.account.lid,
      )
    }
  },
}

function isSet(phone: Phone, chat: string, setting: ChatSetting): boolean {
  const [action, field] = ACTIONS[setting]
  return settingsOf(phone).some(({ Index, Action }) => {
    const value = Action[action]
    return (
      Index[1] === chat && typeof value === 'object' && value !== null && Reflect.get(value, field) === true
    )
  })
}

function settingsOf(phone: Phone): { Index: string[]; Action: Record<string, unknown> }[] {
  return phone.view()['Settings'] as { Index: string[]; Action: Record<string, unknown> }[]
}
