import { bare, child, children, el, parseJid } from '../../stanza.ts'
import type { OwnDevice } from '../device/own-device.ts'
import { unwrap } from '../display/content.ts'
import type { Proto } from './compose.ts'
import type { PhoneMessages, Stored } from './store.ts'

/** Decides who may change which message, as the apps do: what a message says of itself is not enough. */
interface Rights {
  /** Whether the message is to be ignored: it would change another one, which its sender may not. */
  refuses(message: Judged): Promise<boolean>
}

type Judged = Pick<Stored, 'id' | 'chat' | 'from' | 'fromMe' | 'attrs' | 'raw'>
type Key = NonNullable<NonNullable<Proto['protocolMessage']>['key']>

interface Change {
  readonly kind: 'edit' | 'revoke' | 'pin' | 'keep' | 'timer'
  readonly key: Partial<Key>
}

/** The values of `edit` with which a stanza may bring each change; without one, the content decides [?]. */
const MARKS: Readonly<Record<Change['kind'], readonly (string | undefined)[]>> = {
  edit: [undefined, '1'],
  revoke: [undefined, '7', '8'],
  pin: [undefined, '2'],
  keep: [undefined, '7'],
  timer: [undefined],
}

export function createRights({ wire, network, account, uplink }: OwnDevice, messages: PhoneMessages): Rights {
  const { REVOKE, MESSAGE_EDIT, EPHEMERAL_SETTING } = wire.proto.Message.ProtocolMessage.Type

  function changeIn({ protocolMessage, pinInChatMessage, keepInChatMessage }: Proto): Change | undefined {
    if (pinInChatMessage) return { kind: 'pin', key: pinInChatMessage.key ?? {} }
    if (keepInChatMessage) return { kind: 'keep', key: keepInChatMessage.key ?? {} }
    if (!protocolMessage) return undefined
    const { key } = protocolMessage
    const type = protocolMessage.type ?? REVOKE
    if (type === EPHEMERAL_SETTING) return { kind: 'timer', key: {} }
    if (type === MESSAGE_EDIT) return { kind: 'edit', key: key ?? {} }
    return type === REVOKE && key ? { kind: 'revoke', key } : undefined
  }

  /** People are addressed by number or by LID, and by their devices. */
  const person = (jid: string): string => network.account(jid)?.lid ?? bare(jid)
  const senderOf = ({ from, fromMe }: Pick<Stored, 'from' | 'fromMe'>): string =>
    fromMe ? account.lid : person(from)

  /** The author of the changed message, by its key, which is written from the point of view of the sender. */
  function authorIn({ fromMe, participant }: Partial<Key>, message: Judged): string {
    const sender = senderOf(message)
    const named = isShared(message.chat) && participant ? person(participant) : ''
    if (fromMe) return !named || named === sender ? sender : ''
    if (isShared(message.chat)) return named || sender
    return message.fromMe ? person(message.chat) : account.lid
  }

  /** A message is named by chat, author and id. One that is not there may come later. */
  function isKnownAs(id: string, chat: string, author: string): boolean {
    const known = messages.all().filter((one) => one.id === id)
    const here = known.filter((one) => person(one.chat) === person(chat))
    return known.length === 0 || here.some((one) => senderOf(one) === author)
  }

  async function groupOf(chat: string) {
    const query = el('iq', { xmlns: 'w:g2', type: 'get', to: chat }, [
      el('query', { request: 'interactive' }),
    ])
    const group = child(await uplink.query(query), 'group')
    const admins = children(group, 'participant').filter(({ attrs }) => /admin$/.test(attrs['type'] ?? ''))
    return {
      admins: admins.map(({ attrs }) => person(attrs['jid'] ?? '')),
      isLocked: child(group, 'locked') !== undefined,
    }
  }

  async function isAllowed({ kind, key }: Change, message: Judged): Promise<boolean> {
    const { id, chat, attrs } = message
    const isGroup = parseJid(chat)?.server === 'g.us'
    // The timer of a group is set by a query.
    if (kind === 'timer') return !isShared(chat)
    if (!key.id || key.id === id || !MARKS[kind].includes(attrs['edit'])) return false
    if (key.remoteJid && isShared(key.remoteJid) !== isShared(chat)) return false
    if (isShared(chat) && key.remoteJid && key.remoteJid !== chat) return false
    const [sender, author] = [senderOf(message), authorIn(key, message)]
    if (!author || !isKnownAs(key.id, chat, author)) return false
    if (kind === 'pin' || kind === 'keep') {
      // "Edit group settings" includes pinning and keeping messages, by the text of the apps [?].
      const { admins, isLocked } = isGroup ? await groupOf(chat) : { admins: [], isLocked: false }
      return !isLocked || admins.includes(sender)
    }
    const isAdmins = attrs['edit'] === '8'
    if (author === sender) return !isAdmins || isGroup
    return kind === 'revoke' && isAdmins && isGroup && (await groupOf(chat)).admins.includes(sender)
  }

  return {
    async refuses(message) {
      const { chat, from, fromMe, raw } = message
      // What a newsletter or a bot changes is its own.
      if (parseJid(chat)?.server === 'newsletter' || parseJid(from)?.server === 'bot') return false
      // Only own devices send copies of what they have sent (CVE-2026-48063).
      if (raw.deviceSentMessage && !fromMe) return true
      const inner = unwrap(raw)
      const change = changeIn(inner)
      if (!change) return false
      const { editedMessage } = inner.protocolMessage ?? {}
      if (raw.commentMessage || (editedMessage && changeIn(unwrap(editedMessage as Proto)))) return true
      return !(await isAllowed(change, message))
    },
  }
}

/** Whether messages of the chat have authors besides the chat: groups and status posts. */
function isShared(chat: string): boolean {
  return parseJid(chat)?.server === 'g.us' || chat === 'status@broadcast'
}
