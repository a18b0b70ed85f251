import { deflateSync } from 'node:zlib'
import type { GatewayServices } from 'wamux/plugin'
import { bare, parseJid } from '../../stanza.ts'
import type { Account, Uplink } from '../../types.ts'
import type { HeldToken, KnownTokens } from '../device/tokens.ts'
import { sealMedia } from './media.ts'
import { secretOf } from './secrets.ts'
import type { Stored } from './store.ts'
import type { ChatTimer, Timers } from './timers.ts'

type Wire = GatewayServices['wire']

/** The username of a person; '' for none. */
type UsernameOf = (jid: string) => string

/** The sources of a history besides the account. */
interface HistoryParts {
  stored: readonly Stored[]
  timerOf: Timers['of']
  tokenOf: KnownTokens['of']
  usernameOf: UsernameOf
  nctSalt: Uint8Array | undefined
  /** People have LIDs that are not theirs any more. */
  isStale: boolean
}

/** History sync for a new companion, as peer messages: chats inline, recent messages as a file. */
export async function historyMessages(
  wire: Wire,
  account: Account,
  { stored, timerOf, tokenOf, usernameOf, nctSalt, isStale }: HistoryParts,
  uplink: Uplink,
  broadcasts: ReadonlyMap<string, string[]>,
  isSecretless = false,
): Promise<Record<string, unknown>[]> {
  const { HistorySyncType } = wire.proto.HistorySync
  const { HISTORY_SYNC_NOTIFICATION } = wire.proto.Message.ProtocolMessage.Type
  const encode = (syncType: number, fields: Record<string, unknown>): Buffer =>
    deflateSync(
      wire.proto.HistorySync.encode(
        wire.proto.HistorySync.fromObject({ syncType, chunkOrder: 0, progress: 100, ...fields }),
      ).finish(),
    )
  const notify = (fields: Record<string, unknown>): Record<string, unknown> => ({
    protocolMessage: {
      type: HISTORY_SYNC_NOTIFICATION,
      historySyncNotification: { chunkOrder: 0, progress: 100, ...fields },
    },
  })

  const shown = isSecretless ? stored.map(withoutSecret) : stored
  const found = chatsOf(account, shown, usernameOf)
  const pairs = found.flatMap(({ pnJid, lidJid }) => (pnJid && lidJid ? [{ pnJid, lidJid }] : []))
  const chats = found.map((chat) => ({
    ...chat,
    ...(isStale ? { pnJid: undefined, lidJid: undefined } : {}),
    ...timerIn(timerOf(chat.id)),
    ...tokenIn(tokenOf(chat.id)),
  }))
  const overview = encode(HistorySyncType.INITIAL_BOOTSTRAP, {
    conversations: [...chats.map(({ messages: _messages, ...chat }) => chat), ...listsOf(broadcasts)],
    pushnames: [{ id: account.jid, pushname: account.name }],
    ...(nctSalt ? { nctSalt } : {}),
    phoneNumberToLidMappings: [
      { pnJid: account.jid, lidJid: account.lid },
      ...pairs.map(({ pnJid, lidJid }) => ({ pnJid, lidJid: isStale ? formerOf(lidJid) : lidJid })),
    ],
  })
  const messages = [
    notify({ syncType: HistorySyncType.INITIAL_BOOTSTRAP, initialHistBootstrapInlinePayload: overview }),
  ]
  if (stored.length === 0) return messages

  const names = encode(HistorySyncType.PUSH_NAME, { pushnames: namesOf(stored) })
  messages.push(notify({ syncType: HistorySyncType.PUSH_NAME, initialHistBootstrapInlinePayload: names }))
  const recent = encode(HistorySyncType.RECENT, { conversations: chats })
  const { folder, data, fields } = sealMedia(wire, 'history', recent)
  const { directPath } = await uplink.upload(folder, data)
  messages.push(notify({ syncType: HistorySyncType.RECENT, directPath, ...fields }))
  return messages
}

/** The answer to a companion's request for messages before a given one; undefined for other requests. */
export async function historyOnDemand(
  wire: Wire,
  account: Account,
  { requestId, request, usernameOf }: { requestId: string; request: Stored['raw']; usernameOf: UsernameOf },
  stored: readonly Stored[],
  uplink: Uplink,
): Promise<Record<string, unknown> | undefined> {
  const wanted = request.protocolMessage?.peerDataOperationRequestMessage?.historySyncOnDemandRequest
  if (!wanted) return undefined
  const syncType = wire.proto.HistorySync.HistorySyncType.ON_DEMAND
  const anchor = stored.findIndex(({ id }) => id === wanted.oldestMsgId)
  const isOlder = ({ timestamp }: Stored): boolean => timestamp * 1000 < Number(wanted.oldestMsgTimestampMs)
  const older = anchor >= 0 ? stored.slice(0, anchor) : stored.filter(isOlder)
  const page = older.slice(-(wanted.onDemandMsgCount ?? 0))
  const fields = { syncType, chunkOrder: 0, progress: 100 }
  const history = { ...fields, conversations: chatsOf(account, page, usernameOf) }
  const encoded = wire.proto.HistorySync.encode(wire.proto.HistorySync.fromObject(history)).finish()
  const sealed = sealMedia(wire, 'history', deflateSync(encoded))
  const { directPath } = await uplink.upload(sealed.folder, sealed.data)
  return {
    protocolMessage: {
      type: wire.proto.Message.ProtocolMessage.Type.HISTORY_SYNC_NOTIFICATION,
      historySyncNotification: {
        ...fields,
        ...sealed.fields,
        directPath,
        peerDataRequestSessionId: requestId,
      },
    },
  }
}

/** A LID that nobody has: those of the network begin with 9. */
function formerOf(lid: string): string {
  return lid.replace(/^9/, '8')
}

/** A chat's timer for the history, where the time is in milliseconds, unlike in messages. */
function timerIn({ seconds, setAt, trigger }: ChatTimer): Record<string, unknown> {
  if (setAt === 0 && seconds === 0) return {}
  return {
    ephemeralExpiration: seconds,
    ephemeralSettingTimestamp: setAt * 1000,
    disappearingMode: { initiator: 0, trigger },
  }
}

/** A chat's token for the history. */
function tokenIn(held: HeldToken | undefined): Record<string, unknown> {
  if (!held?.token) return {}
  const { token, t, issued } = held
  const sender = issued > 0 ? { tcTokenSenderTimestamp: issued } : {}
  return { tcToken: token, tcTokenTimestamp: t, ...sender }
}

/** Companions get the recipients of broadcast lists only through history sync. */
function listsOf(broadcasts: ReadonlyMap<string, string[]>): Record<string, unknown>[] {
  return [...broadcasts].map(([id, recipients]) => ({
    id,
    participant: recipients.map((userJid) => ({ userJid, rank: 0 })),
  }))
}

/** Push names taken from received messages. */
function namesOf(stored: readonly Stored[]): { id: string; pushname: string }[] {
  const names = new Map<string, string>()
  for (const { from, fromMe, attrs } of stored)
    if (!fromMe && attrs['notify']) names.set(bare(from), attrs['notify'])
  return [...names].map(([id, pushname]) => ({ id, pushname }))
}

function withoutSecret({ raw, ...rest }: Stored): Stored {
  return { ...rest, raw: { ...raw, messageContextInfo: null } as Stored['raw'] }
}

interface Chat {
  id: string
  name?: string
  username?: string
  pnJid?: string
  lidJid?: string
  messages: unknown[]
}

function chatsOf(account: Account, stored: readonly Stored[], usernameOf: UsernameOf): Chat[] {
  const chats = new Map<string, Chat>()
  for (const one of stored) {
    const { chat, id, from, fromMe, timestamp, attrs, raw } = one
    const isGroup = parseJid(chat)?.server === 'g.us'
    const key = {
      remoteJid: chat,
      fromMe,
      id,
      ...(isGroup ? { participant: fromMe ? account.lid : from } : {}),
    }
    const known = chats.get(chat) ?? { id: chat, messages: [] }
    known.messages.push({
      message: {
        key,
        message: raw,
        messageTimestamp: timestamp,
        pushName: attrs['notify'],
        messageSecret: secretOf(stored, one),
      },
      msgOrderId: known.messages.length + 1,
    })
    // Of an own message they would name the account itself.
    if (attrs['sender_pn'] && !fromMe) Object.assign(known, { pnJid: attrs['sender_pn'], lidJid: chat })
    if (attrs['sender_lid'] && !fromMe) Object.assign(known, { pnJid: chat, lidJid: attrs['sender_lid'] })
    chats.set(chat, known)
  }
  return [...chats.values()].map((chat) => ({ ...chat, ...titleOf(chat, usernameOf(chat.id)) }))
}

/** A chat is titled by its number; one of which only the LID is known has at most a username. */
function titleOf({ id, pnJid }: Chat, username: string): Pick<Chat, 'name' | 'username'> {
  const titled = pnJid ?? (parseJid(id)?.server === 'lid' ? undefined : id)
  return { ...(titled ? { name: titled.split('@')[0] ?? '' } : {}), ...(username ? { username } : {}) }
}
