import type { GroupMetadata, WAMessage, WAMessageKey } from '@whiskeysockets/baileys'
import { Jid } from 'wamux/messaging'
import { withTimeout } from 'wamux/plugin'
import { isJidGroup, isJidNewsletter, jidNormalizedUser, proto } from '../baileys.ts'
import { isBot } from '../protocol/bots.ts'
import { chatJid } from '../protocol/business/hosted-jid.ts'
import { isPerson } from '../protocol/chat-timer.ts'
import { innerOf } from '../protocol/sealed.ts'
import { envelopeOf, isPeer, type Me } from '../protocol/signals.ts'
import type { Right } from '../sdk.ts'
import type { Inbox } from '../store/inbox.ts'
import type { Outgoing } from '../store/outgoing.ts'
import type { Secrets } from '../store/secrets.ts'

interface Received {
  readonly message: WAMessage
  /** Of the stanza; empty for what the account's phone has sent again. */
  readonly attrs: Readonly<Record<string, string>>
}

/** Decides who may change which message. What a message says of itself is only a claim: everybody can write any key. */
export interface Rights {
  /** Whether `groupOf` is needed. */
  needsGroup(received: Received): boolean
  /** The group, by which `of` knows its admins; undefined if it can't be read. Asks the network. */
  groupOf(received: Received): Promise<GroupMetadata | undefined>
  /**
   * By whose right a message changes another one; undefined if it changes none.
   *
   * @param isOfMembers whether its secret has shown that it adds to another message, as every member may.
   */
  of(received: Received, group: GroupMetadata | undefined, isOfMembers: boolean): Promise<Right | undefined>
}

interface Parts {
  inbox: Pick<Inbox, 'byMessage'>
  outgoing: Pick<Outgoing, 'find'>
  secrets: Pick<Secrets, 'find'>
  me(): Me
  /** The other form of a person's JID, from local storage; '' if unknown. */
  altOf(jid: string): Promise<string>
  groupOf(jid: string): Promise<GroupMetadata>
}

type Kind = 'edit' | 'revoke' | 'pin' | 'keep' | 'call' | 'timer'

interface Change {
  readonly kind: Kind
  /** Written from the point of view of the sender. */
  readonly key: proto.IMessageKey
}

/**
 * The values of `edit` of a stanza with which each change may come; another one contradicts the content. Without the attribute
 * the content decides: apps have accepted edits without it.
 */
const MARKS: Readonly<Record<Kind, readonly (string | undefined)[]>> = {
  edit: [undefined, '1'],
  revoke: [undefined, '7', '8'],
  pin: [undefined, '2'],
  keep: [undefined, '7'],
  call: [undefined, '1'],
  timer: [undefined],
}
const ADMIN = '8'
const STATUS = Jid.status
/** How long a change waits for the admins of its group. */
const GROUP_MS = 5_000

/** A message of which chat and author are known. The JIDs of a person are those known at that time. */
interface Known {
  readonly chat: string
  readonly authors: readonly string[]
}

export function createRights({ inbox, outgoing, secrets, me, altOf, groupOf }: Parts): Rights {
  const own = (): string[] => [me().id, me().lid].map((jid) => chatJid(jid)).filter(Boolean)

  function authorsOf({
    fromMe,
    participant,
    participantAlt,
    remoteJid,
    remoteJidAlt,
  }: WAMessageKey): string[] {
    if (fromMe) return own()
    return [participant || remoteJid, participantAlt || remoteJidAlt]
      .map((jid) => chatJid(jid ?? ''))
      .filter(Boolean)
  }

  async function withAlts(jids: readonly string[]): Promise<string[]> {
    const alts = await Promise.all(jids.map(altOf))
    return [...new Set([...jids, ...alts])].filter(Boolean)
  }

  /** The messages with that id: several people may have chosen it. */
  async function knownAs(id: string): Promise<Known[]> {
    const [kept, received, sent] = await Promise.all([
      secrets.find(id),
      inbox.byMessage(id),
      outgoing.find(id),
    ])
    return [
      ...kept,
      ...received
        .filter(({ stanza }) => !isPeer(stanza))
        .map(({ stanza }) => envelopeOf(stanza, me()).key)
        .map((key) => ({ chat: key.remoteJid ?? '', authors: authorsOf(key) })),
      ...(sent ? [{ chat: sent.chat, authors: own() }] : []),
    ]
  }

  /** Whether the chat is that of the message; true if number and LID of a person can't be compared. */
  async function isIn(chat: string, { remoteJid, remoteJidAlt }: WAMessageKey): Promise<boolean> {
    const jid = chatJid(remoteJid ?? '')
    const known = jidNormalizedUser(chat)
    if (!known || known === jid) return true
    if (!isPerson(jid)) return false
    // What somebody has sent to a list may be changed in the chat with that person.
    if (!isPerson(known)) return Jid.isBroadcast(known) && known !== STATUS
    const forms = [jid, chatJid(remoteJidAlt ?? '')].filter(Boolean)
    return isSame(await withAlts([chatJid(known)]), forms) !== false
  }

  /** Whether somebody may have written the message with that id in this chat. An unknown one may come later. */
  async function isBy(id: string, key: WAMessageKey, author: readonly string[]): Promise<boolean> {
    const known = await knownAs(id)
    const isHere = await Promise.all(known.map(({ chat }) => isIn(chat, key)))
    const here = known.filter((_, at) => isHere[at])
    if (here.length === 0) return known.length === 0
    const forms = await withAlts(author)
    return here.some(({ authors }) => isSame(authors, forms) !== false)
  }

  /** The author of the changed message, as its key says; undefined if it contradicts itself. */
  async function authorIn(
    { fromMe, participant }: proto.IMessageKey,
    { key }: WAMessage,
    sender: readonly string[],
  ): Promise<readonly string[] | undefined> {
    // Bots write keys from the point of view of the person.
    if (sender.some(isBot)) return sender
    const chat = key.remoteJid ?? ''
    if (!isShared(chat)) return fromMe ? sender : key.fromMe ? [chat] : own()
    const named = chatJid(participant ?? '')
    if (!named) return sender
    const author = await withAlts([named])
    const is = isSame(author, sender)
    if (is) return sender
    if (fromMe) return is === false ? undefined : sender
    return author
  }

  async function judge(
    { kind, key: target }: Change,
    { message, attrs }: Received,
    group: GroupMetadata | undefined,
    isOfMembers: boolean,
  ): Promise<Right> {
    const { key } = message
    const chat = chatJid(key.remoteJid ?? '')
    const mark = attrs['edit']
    // Groups have their timer by a query.
    if (kind === 'timer') return isShared(chat) ? 'none' : 'member'
    if (!target.id || target.id === key.id || !MARKS[kind].includes(mark)) return 'none'
    if (!isChat(target.remoteJid ?? '', chat)) return 'none'
    if (isOfMembers) return 'member'
    const sender = authorsOf(key)
    const author = await authorIn(target, message, sender)
    if (!author || !(await isBy(target.id, key, author))) return 'none'
    const isAdmin = key.fromMe || isAdminOf(group, sender)
    if (kind === 'pin' || kind === 'keep') return group?.restrict && !isAdmin ? 'none' : 'member'
    if (author === sender) return mark === ADMIN && !isJidGroup(chat) ? 'none' : 'author'
    if (kind !== 'revoke' || !isJidGroup(chat)) return 'none'
    const isMarked = mark === ADMIN
    if (!isMarked && attrs['id'] !== undefined) return 'none'
    // The network refuses the mark of others than admins (go-whatsapp-web-multidevice#640).
    return isAdmin || (!group && isMarked) ? 'admin' : 'none'
  }

  return {
    needsGroup({ message, attrs }) {
      const { remoteJid, fromMe } = message.key
      if (fromMe || !isJidGroup(remoteJid ?? '')) return false
      const change = changeIn(message)
      if (!change || change === 'hidden') return false
      const isOfAdmin = attrs['edit'] === ADMIN || attrs['id'] === undefined
      return change.kind === 'pin' || change.kind === 'keep' || (change.kind === 'revoke' && isOfAdmin)
    },
    groupOf: ({ message: { key } }) =>
      withTimeout(
        groupOf(key.remoteJid ?? '').catch(() => undefined),
        GROUP_MS,
        () => undefined,
      ),
    async of(received, group, isOfMembers) {
      // The network lets only its owner and its admins change the posts of a newsletter.
      if (isJidNewsletter(received.message.key.remoteJid ?? '')) return undefined
      const change = changeIn(received.message)
      if (change === 'hidden') return 'none'
      return change && judge(change, received, group, isOfMembers)
    },
  }
}

/** No client nests more. */
const MAX_CONTENTS = 16

/**
 * The change in a message; `hidden` if there are several, or one where no client puts it: within another content, or in a copy
 * of an own message that is of somebody else (CVE-2026-48063).
 */
function changeIn({ key, message }: WAMessage): Change | 'hidden' | undefined {
  if (!message) return undefined
  if (message.deviceSentMessage && !key.fromMe) return 'hidden'
  const contents = [message]
  for (const content of contents) {
    contents.push(...nestedIn(content))
    if (contents.length > MAX_CONTENTS) return 'hidden'
  }
  const changed = contents.filter((content) => changeOf(content))
  if (changed.length === 0) return undefined
  const inner = innerOf(message)
  return (changed.length === 1 && changed[0] === inner && changeOf(inner)) || 'hidden'
}

/** Contents within others: every consumer looks into all of them. */
function nestedIn(content: proto.IMessage): proto.IMessage[] {
  const parts = Object.values(content) as ({ message?: unknown } | null | undefined)[]
  const wrapped = parts.map((part) => (typeof part === 'object' ? part?.message : undefined))
  const found = [...wrapped, content.protocolMessage?.editedMessage]
  return found.filter((one): one is proto.IMessage => typeof one === 'object' && one !== null)
}

const { MESSAGE_EDIT, EPHEMERAL_SETTING } = proto.Message.ProtocolMessage.Type

function changeOf(content: proto.IMessage): Change | undefined {
  const { protocolMessage, pinInChatMessage, keepInChatMessage, scheduledCallEditMessage } = content
  if (pinInChatMessage) return { kind: 'pin', key: pinInChatMessage.key ?? {} }
  if (keepInChatMessage) return { kind: 'keep', key: keepInChatMessage.key ?? {} }
  if (scheduledCallEditMessage) return { kind: 'call', key: scheduledCallEditMessage.key ?? {} }
  if (!protocolMessage) return undefined
  const { key, type, editedMessage } = protocolMessage
  // Of another type it has no right key.
  if (editedMessage) return { kind: 'edit', key: (type === MESSAGE_EDIT && key) || {} }
  if (type === EPHEMERAL_SETTING) return { kind: 'timer', key: {} }
  // REVOKE is 0, and what an absent type is read as.
  return key && !type ? { kind: 'revoke', key } : undefined
}

/** Whether messages of the chat have authors besides the chat: groups, status posts. */
function isShared(chat: string): boolean {
  return isJidGroup(chat) || chat === STATUS
}

/** Whether a key may name this chat. The two sides of a chat name it by each other, in any form. */
function isChat(named: string, chat: string): boolean {
  const jid = chatJid(named)
  if (!jid || isBot(chat)) return true
  if (isShared(chat) || isShared(jid)) return jid === chat
  return !isJidNewsletter(jid)
}

function isAdminOf(group: GroupMetadata | undefined, jids: readonly string[]): boolean {
  return (group?.participants ?? []).some(
    ({ id, lid, phoneNumber, admin }) =>
      Boolean(admin) && [id, lid, phoneNumber].some((jid) => jid && jids.includes(chatJid(jid))),
  )
}

/** Whether two lists have a JID of the same person; undefined if the one has only the number, the other only the LID. */
function isSame(some: readonly string[], others: readonly string[]): boolean | undefined {
  if (some.some((jid) => others.includes(jid))) return true
  const servers = some.map(serverOf)
  return others.some((jid) => servers.includes(serverOf(jid))) ? false : undefined
}

function serverOf(jid: string): string {
  return jid.slice(jid.indexOf('@'))
}
